#pragma tensim name seed-23-unit-flag
#pragma tensim profile a2a3
#pragma tensim preset flat
#pragma tensim sync auto
#pragma tensim expect {verdict: pass, finds: [], cycles: 239, peak: {p: 1}}
[[init(random)]] GlobalTensor<half, 64, 32> a;
[[init(random)]] GlobalTensor<half, 32, 32> b;
[[expect("relu(a @ b)")]] GlobalTensor<float, 64, 32> out;
Tile<TileType::Mat, half, 16, 32> a1;
Tile<TileType::Mat, half, 32, 32> b1;
Tile<TileType::Left, half, 16, 32> l;
Tile<TileType::Right, half, 32, 32> r;
Tile<TileType::Acc, float, 16, 32> acc[2];
Tile<TileType::Vec, float, 8, 32> x;
Tile<TileType::Vec, float, 8, 32> y[2];
TPipe<0, Direction::DIR_C2V, 2048, 2, 2, false, true> p;
[[cube]] void cube() {
    TLOAD(b1, b);
    TMOV(r, b1);
    for (int i = 0; i < 4; i++) {
        TLOAD(a1, a(i * 16, 0));
        TMOV(l, a1);
        [[uf]] TMATMUL(acc[i % 2], l, r);
        TPUSH<TileSplitAxis::TILE_UP_DOWN>(p, acc[i % 2]);
    }
}
[[vector]] void vector() {
    for (int i = 0; i < 4; i++) {
        TPOP<TileSplitAxis::TILE_UP_DOWN>(p, x);
        TRELU(y[i % 2], x);
        TSTORE(out(i * 16 + get_subblockid() * 8, 0), y[i % 2]);
    }
}
