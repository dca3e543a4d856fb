#pragma tensim name cv-odd
#pragma tensim profile a2a3
#pragma tensim preset flat
[[init(random)]] GlobalTensor<float, 5, 32> a;
[[init(random)]] GlobalTensor<float, 32, 128> b;
[[init(random)]] GlobalTensor<float, 5, 128> bias;
[[expect("a @ b + bias")]] GlobalTensor<float, 5, 128> out;
[[valid_rows(5)]] Tile<TileType::Mat, float, 16, 32> a1;
Tile<TileType::Mat, float, 32, 128> b1;
[[valid_rows(5)]] Tile<TileType::Left, float, 16, 32> a0;
Tile<TileType::Right, float, 32, 128> b0;
[[valid_rows(5)]] Tile<TileType::Acc, float, 16, 128> acc;
Tile<TileType::Vec, float, 8, 128> x;
Tile<TileType::Vec, float, 8, 128> biasv;
TPipe<0, Direction::DIR_C2V, 8192, 1, 2, false, false> c2v;
[[cube]] void cube() {
    TLOAD(a1, a);
    TLOAD(b1, b);
    pipe_sync(PIPE_MTE2, PIPE_MTE1, 0);
    TMOV(a0, a1);
    TMOV(b0, b1);
    pipe_sync(PIPE_MTE1, PIPE_M, 0);
    TMATMUL(acc, a0, b0);
    pipe_sync(PIPE_M, PIPE_FIX, 0);
    TPUSH<TileSplitAxis::TILE_UP_DOWN_ODD>(c2v, acc);
}
[[vector]] void vector() {
    if (1) {
        TLOAD(biasv(0, 0, 3 - get_subblockid(), 128), bias(3 * get_subblockid(), 0));
        TPOP<TileSplitAxis::TILE_UP_DOWN_ODD>(c2v, x(0, 0, 3 - get_subblockid(), 128));
        pipe_sync(PIPE_MTE2, PIPE_V, 0);
        TADD(x(0, 0, 3 - get_subblockid(), 128), x(0, 0, 3 - get_subblockid(), 128), biasv(0, 0, 3 - get_subblockid(), 128));
        pipe_sync(PIPE_V, PIPE_MTE3, 0);
        TSTORE(out(3 * get_subblockid(), 0), x(0, 0, 3 - get_subblockid(), 128));
    } else {
        TLOAD(biasv(0, 0, 5, 64 - get_subblockid()), bias(0, 64 * get_subblockid()));
        TPOP<TileSplitAxis::TILE_UP_DOWN_ODD>(c2v, x(0, 0, 5, 64 - get_subblockid()));
        pipe_sync(PIPE_MTE2, PIPE_V, 0);
        TADD(x(0, 0, 5, 64 - get_subblockid()), x(0, 0, 5, 64 - get_subblockid()), biasv(0, 0, 5, 64 - get_subblockid()));
        pipe_sync(PIPE_V, PIPE_MTE3, 0);
        TSTORE(out(0, 64 * get_subblockid()), x(0, 0, 5, 64 - get_subblockid()));
    }
}
