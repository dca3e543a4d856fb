#pragma tensim name seed-07-dir-both-gm
#pragma tensim profile a5
#pragma tensim preset a5
#pragma tensim sync auto
#pragma tensim expect {verdict: pass, finds: [], cycles: 4346, peak: {p.c2v: 1, p.v2c: 1}}
[[init(random)]] GlobalTensor<float, 32, 32> a;
[[init(random)]] GlobalTensor<float, 32, 32> d;
[[expect("(a + a) @ d - a")]] GlobalTensor<float, 32, 32> out;
Tile<TileType::Mat, float, 32, 32> d1;
Tile<TileType::Mat, float, 32, 32> m;
Tile<TileType::Left, float, 32, 32> l;
Tile<TileType::Right, float, 32, 32> r;
Tile<TileType::Acc, float, 32, 32> acc;
Tile<TileType::Vec, float, 16, 32> x;
Tile<TileType::Vec, float, 16, 32> s;
Tile<TileType::Vec, float, 16, 32> z;
TPipe<0, Direction::DIR_BOTH_GM, 4096, 2, 2, false, false> p;
[[cube]] void cube() {
    TLOAD(d1, d);
    TMOV(r, d1);
    for (int i = 0; i < 3; i++) {
        TPOP<TileSplitAxis::TILE_UP_DOWN>(p, m);
        TMOV(l, m);
        TMATMUL(acc, l, r);
        TPUSH<TileSplitAxis::TILE_UP_DOWN>(p, acc);
    }
}
[[vector]] void vector() {
    TLOAD(x, a(get_subblockid() * 16, 0));
    for (int i = 0; i < 3; i++) {
        TADD(s, x, x);
        TPUSH<TileSplitAxis::TILE_UP_DOWN>(p, s);
        TPOP<TileSplitAxis::TILE_UP_DOWN>(p, z);
        TSUB(s, z, x);
        TSTORE(out(get_subblockid() * 16, 0), s);
    }
}
