#pragma tensim name seed-20-split-left-right
#pragma tensim profile a2a3
#pragma tensim preset flat
#pragma tensim sync auto
#pragma tensim expect {verdict: pass, finds: [], cycles: 406, peak: {p: 2}}
[[init(random)]] GlobalTensor<float, 16, 32> a;
[[init(random)]] GlobalTensor<float, 32, 32> w;
[[expect("a @ (w * 2)")]] GlobalTensor<float, 16, 32> out;
Tile<TileType::Mat, float, 16, 32> a1;
Tile<TileType::Mat, float, 32, 32> m;
Tile<TileType::Left, float, 16, 32> l;
Tile<TileType::Right, float, 32, 32> r;
Tile<TileType::Acc, float, 16, 32> acc;
Tile<TileType::Vec, float, 32, 16> x[2];
TPipe<0, Direction::DIR_V2C, 4096, 2, 2, false, false> p;
[[cube]] void cube() {
    TLOAD(a1, a);
    TMOV(l, a1);
    for (int i = 0; i < 4; i++) {
        TPOP<TileSplitAxis::TILE_LEFT_RIGHT>(p, m);
        TMOV(r, m);
        TMATMUL(acc, l, r);
        TSTORE(out, acc);
    }
}
[[vector]] void vector() {
    for (int i = 0; i < 4; i++) {
        TLOAD(x[i % 2], w(0, get_subblockid() * 16));
        TMULS(x[i % 2], x[i % 2], 2);
        TPUSH<TileSplitAxis::TILE_LEFT_RIGHT>(p, x[i % 2]);
    }
}
