#pragma tensim name seed-13-allocate-skipped
#pragma tensim profile a2a3
#pragma tensim preset flat
#pragma tensim sync auto
#pragma tensim expect {verdict: hazard, finds: [E_OVERWRITE], cycles: 1802, peak: {p: 6}}
GlobalTensor<float, 64, 64> far;
[[init(random)]] GlobalTensor<half, 96, 32> a;
[[init(random)]] GlobalTensor<half, 32, 32> b;
GlobalTensor<float, 96, 32> out;
Tile<TileType::Mat, half, 16, 32> a1;
Tile<TileType::Mat, half, 32, 32> b1;
Tile<TileType::Left, half, 16, 32> l;
Tile<TileType::Right, half, 32, 32> r;
Tile<TileType::Acc, float, 16, 32> acc[2];
Tile<TileType::Vec, float, 8, 32> x;
Tile<TileType::Vec, float, 64, 64> slow;
TPipe<0, Direction::DIR_C2V, 2048, 2, 2, false, false> p;
[[cube]] void cube() {
    TLOAD(b1, b);
    TMOV(r, b1);
    for (int i = 0; i < 6; i++) {
        TLOAD(a1, a(i * 16, 0));
        TMOV(l, a1);
        TMATMUL(acc[i % 2], l, r);
        p.prod.setAllocateStatus(0);
        TPUSH<TileSplitAxis::TILE_UP_DOWN>(p, acc[i % 2]);
    }
}
[[vector]] void vector() {
    for (int i = 0; i < 6; i++) {
        TLOAD(slow, far);
        TPOP<TileSplitAxis::TILE_UP_DOWN>(p, x);
        TSTORE(out(i * 16 + get_subblockid() * 8, 0), x);
    }
}
