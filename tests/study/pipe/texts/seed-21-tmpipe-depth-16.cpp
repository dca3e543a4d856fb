#pragma tensim name seed-21-tmpipe-depth-16
#pragma tensim profile a5
#pragma tensim preset a5
#pragma tensim sync auto
#pragma tensim timing {flag_bits: 5}
#pragma tensim expect {verdict: pass, finds: [], cycles: 7768, peak: {p: 9}}
GlobalTensor<float, 64, 64> far;
[[init(random)]] GlobalTensor<float, 16, 32> a;
[[init(random)]] GlobalTensor<float, 32, 32> w;
[[expect("a @ (w * 2)")]] GlobalTensor<float, 16, 32> out;
Tile<TileType::Mat, float, 64, 64> slow;
Tile<TileType::Mat, float, 16, 32> a1;
Tile<TileType::Mat, float, 32, 32> m;
Tile<TileType::Left, float, 16, 32> l;
Tile<TileType::Right, float, 32, 32> r;
Tile<TileType::Acc, float, 16, 32> acc;
Tile<TileType::Vec, float, 16, 32> x[2];
TMPipe<0, FIFOType::MAT_FIFO, 16, 8, Tile<TileType::Vec, float, 16, 32>, Tile<TileType::Mat, float, 32, 32>, false, 2, VecCubeRatio::V2C1_VECS> p;
[[cube]] void cube() {
    TLOAD(a1, a);
    TMOV(l, a1);
    for (int i = 0; i < 20; i++) {
        p.cons.setFreeStatus(true);
        TPOP<TileSplitAxis::TILE_UP_DOWN>(p, m);
        TLOAD(slow, far);
        pipe_sync(PIPE_MTE2, PIPE_MTE1, 7);
        TMOV(r, m);
        p.cons.setFreeStatus((i + 1) % 8 == 0);
        TFREE<TileSplitAxis::TILE_UP_DOWN>(p);
        TMATMUL(acc, l, r);
        TSTORE(out, acc);
    }
}
[[vector]] void vector() {
    for (int i = 0; i < 20; i++) {
        TLOAD(x[i % 2], w(get_subblockid() * 16, 0));
        TMULS(x[i % 2], x[i % 2], 2);
        p.prod.setAllocateStatus(i >= 8 && i % 8 == 0);
        TPUSH<TileSplitAxis::TILE_UP_DOWN>(p, x[i % 2]);
    }
}
