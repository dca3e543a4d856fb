#pragma tensim name bidirectional
#pragma tensim profile a2a3
#pragma tensim preset flat
[[init(random)]] GlobalTensor<float, 128, 64> a;
[[init(random)]] GlobalTensor<float, 128, 64> b;
[[init(random)]] GlobalTensor<float, 64, 128> d;
[[init(random)]] GlobalTensor<float, 128, 128> f;
[[expect("(a + b) @ d - f")]] GlobalTensor<float, 128, 128> out;
Tile<TileType::Mat, float, 64, 128> d1;
Tile<TileType::Mat, float, 128, 64> m;
Tile<TileType::Left, float, 128, 64> l;
Tile<TileType::Right, float, 64, 128> r;
Tile<TileType::Acc, float, 128, 128> acc;
Tile<TileType::Vec, float, 64, 64> x;
Tile<TileType::Vec, float, 64, 64> y;
Tile<TileType::Vec, float, 64, 128> z;
Tile<TileType::Vec, float, 64, 128> fv;
TPipe<0, Direction::DIR_BOTH, 65536, 2, 1, false, false> both;
[[cube]] void cube() {
    TLOAD(d1, d);
    TPOP<TileSplitAxis::TILE_UP_DOWN>(both, m);
    pipe_sync(PIPE_MTE2, PIPE_MTE1, 0);
    TMOV(l, m);
    TMOV(r, d1);
    TFREE<TileSplitAxis::TILE_UP_DOWN>(both);
    pipe_sync(PIPE_MTE1, PIPE_M, 0);
    TMATMUL(acc, l, r);
    pipe_sync(PIPE_M, PIPE_FIX, 0);
    TPUSH<TileSplitAxis::TILE_UP_DOWN>(both, acc);
}
[[vector]] void vector() {
    TLOAD(x, a(get_subblockid() * 64, get_subblockid() * 0));
    TLOAD(y, b(get_subblockid() * 64, get_subblockid() * 0));
    pipe_sync(PIPE_MTE2, PIPE_V, 0);
    TADD(x, x, y);
    pipe_sync(PIPE_V, PIPE_MTE3, 0);
    TPUSH<TileSplitAxis::TILE_UP_DOWN>(both, x);
    TLOAD(fv, f(get_subblockid() * 64, get_subblockid() * 0));
    TPOP<TileSplitAxis::TILE_UP_DOWN>(both, z);
    pipe_sync(PIPE_MTE2, PIPE_V, 1);
    TSUB(fv, z, fv);
    TFREE<TileSplitAxis::TILE_UP_DOWN>(both);
    pipe_sync(PIPE_V, PIPE_MTE3, 1);
    TSTORE(out(get_subblockid() * 64, get_subblockid() * 0), fv);
}
