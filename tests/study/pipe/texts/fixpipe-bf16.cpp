#pragma tensim name fixpipe-bf16
#pragma tensim profile a2a3
#pragma tensim preset flat
[[init(ints)]] GlobalTensor<half, 64, 64> a;
[[init(ints)]] GlobalTensor<half, 64, 64> b;
[[expect("a @ b + 1"), tolerance(0.01)]] GlobalTensor<bfloat16_t, 64, 64> out;
Tile<TileType::Mat, half, 64, 64> a1;
Tile<TileType::Mat, half, 64, 64> b1;
Tile<TileType::Left, half, 64, 64> l;
Tile<TileType::Right, half, 64, 64> r;
Tile<TileType::Acc, float, 64, 64> acc;
Tile<TileType::Vec, bfloat16_t, 64, 64> x;
Tile<TileType::Vec, bfloat16_t, 64, 64> y;
TPipe<0, Direction::DIR_C2V, 8192, 2, 2, true, false> c2v;
[[cube]] void cube() {
    TLOAD(a1, a);
    TLOAD(b1, b);
    pipe_sync(PIPE_MTE2, PIPE_MTE1, 0);
    TMOV(l, a1);
    TMOV(r, b1);
    pipe_sync(PIPE_MTE1, PIPE_M, 0);
    TMATMUL(acc, l, r);
    pipe_sync(PIPE_M, PIPE_FIX, 0);
    [[cast(bf16)]] TPUSH<TileSplitAxis::TILE_NO_SPLIT>(c2v, acc);
}
[[vector]] void vector() {
    if (get_subblockid() == 0) {
        TPOP<TileSplitAxis::TILE_NO_SPLIT>(c2v, x);
        pipe_sync(PIPE_MTE2, PIPE_V, 0);
        TADDS(y, x, 1);
        TFREE<TileSplitAxis::TILE_NO_SPLIT>(c2v);
        pipe_sync(PIPE_V, PIPE_MTE3, 0);
        TSTORE(out, y);
    } else {
        if (1) {
            TPOP<TileSplitAxis::TILE_NO_SPLIT>(c2v, x);
        }
    }
}
