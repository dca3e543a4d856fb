#pragma tensim name seed-22-tmpipe-one-vector-core
#pragma tensim profile a5
#pragma tensim preset a5
#pragma tensim sync auto
#pragma tensim expect {verdict: pass, finds: [], cycles: 1612, peak: {p: 1}}
[[init(random)]] GlobalTensor<float, 16, 32> a;
[[init(random)]] GlobalTensor<float, 32, 32> w;
[[expect("a @ (w * 2)")]] GlobalTensor<float, 16, 32> out;
Tile<TileType::Mat, float, 16, 32> a1;
Tile<TileType::Mat, float, 32, 32> m;
Tile<TileType::Left, float, 16, 32> l;
Tile<TileType::Right, float, 32, 32> r;
Tile<TileType::Acc, float, 16, 32> acc;
Tile<TileType::Vec, float, 32, 32> x[2];
TMPipe<0, FIFOType::MAT_FIFO, 4, 1, Tile<TileType::Vec, float, 32, 32>, Tile<TileType::Mat, float, 32, 32>, false, 2, VecCubeRatio::V1C1_VEC0> p;
[[cube]] void cube() {
    TLOAD(a1, a);
    TMOV(l, a1);
    for (int i = 0; i < 5; i++) {
        TPOP<TileSplitAxis::TILE_UP_DOWN>(p, m);
        TMOV(r, m);
        TFREE<TileSplitAxis::TILE_UP_DOWN>(p);
        TMATMUL(acc, l, r);
        TSTORE(out, acc);
    }
}
[[vector]] void vector() {
    for (int i = 0; i < 5; i++) {
        TLOAD(x[i % 2], w);
        TMULS(x[i % 2], x[i % 2], 2);
        TPUSH<TileSplitAxis::TILE_UP_DOWN>(p, x[i % 2]);
    }
}
