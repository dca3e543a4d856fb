#pragma tensim name seed-17-a5-v2c-ctrl
#pragma tensim profile a5
#pragma tensim preset a5
#pragma tensim sync auto
#pragma tensim expect {verdict: pass, finds: [], cycles: 1301, peak: {p: 1}}
[[init(iota), low(0)]] GlobalTensor<int32_t, 5, 8> n;
[[init(random)]] GlobalTensor<float, 16, 32> a;
[[init(random)]] GlobalTensor<float, 32, 32> b;
[[expect("a @ b * 5")]] GlobalTensor<float, 16, 32> out;
Tile<TileType::Mat, float, 16, 32> a1;
Tile<TileType::Mat, float, 32, 32> b1;
Tile<TileType::Left, float, 16, 32> l;
Tile<TileType::Right, float, 32, 32> r;
Tile<TileType::Acc, float, 16, 32> acc;
Tile<TileType::Vec, int32_t, 1, 8> w[2];
TPipe<2, Direction::DIR_V2C_CTRL, 4, 2, 2, false, false> p;
[[cube]] void cube() {
    TLOAD(a1, a);
    TLOAD(b1, b);
    TMOV(l, a1);
    TMOV(r, b1);
    for (int i = 0; i < 5; i++) {
        TPOP<TileSplitAxis::TILE_UP_DOWN>(p, order);
        TFREE<TileSplitAxis::TILE_UP_DOWN>(p);
        if (order == 0) {
            TMATMUL(acc, l, r);
        } else {
            TMATMUL_ACC(acc, l, r);
        }
        if (order == 32) {
            TSTORE(out, acc);
        }
    }
}
[[vector]] void vector() {
    for (int i = 0; i < 5; i++) {
        TLOAD(w[i % 2], n(i, 0));
        TPUSH<TileSplitAxis::TILE_UP_DOWN>(p, w[i % 2]);
    }
}
