#pragma tensim name gemm-bias-relu
#pragma tensim profile a2a3
#pragma tensim preset flat
[[init(random)]] GlobalTensor<half, 64, 32> a;
[[init(random)]] GlobalTensor<half, 32, 32> b;
[[init(random)]] GlobalTensor<float, 64, 32> bias;
[[expect("relu(a @ b + bias)")]] GlobalTensor<float, 64, 32> out;
Tile<TileType::Mat, half, 16, 32> a1;
Tile<TileType::Mat, half, 32, 32> b1;
Tile<TileType::Left, half, 16, 32> a0;
Tile<TileType::Right, half, 32, 32> b0;
Tile<TileType::Acc, float, 16, 32> acc;
Tile<TileType::Vec, float, 8, 32> x;
Tile<TileType::Vec, float, 8, 32> biasv;
Tile<TileType::Vec, float, 8, 32> y;
TPipe<0, Direction::DIR_C2V, 2048, 1, 2, false, false> c2v;
[[cube]] void cube() {
    TLOAD(b1, b);
    set_flag(PIPE_MTE1, PIPE_MTE2, 0);
    set_flag(PIPE_M, PIPE_MTE1, 0);
    set_flag(PIPE_FIX, PIPE_M, 0);
    for (int n = 0; n < 64 / 16 / get_block_num(); n++) {
        int i = n * get_block_num() + get_block_idx();
        wait_flag(PIPE_MTE1, PIPE_MTE2, 0);
        TLOAD(a1, a(i * 16, 0));
        pipe_sync(PIPE_MTE2, PIPE_MTE1, 0);
        wait_flag(PIPE_M, PIPE_MTE1, 0);
        TMOV(a0, a1);
        TMOV(b0, b1);
        set_flag(PIPE_MTE1, PIPE_MTE2, 0);
        pipe_sync(PIPE_MTE1, PIPE_M, 0);
        wait_flag(PIPE_FIX, PIPE_M, 0);
        TMATMUL(acc, a0, b0);
        set_flag(PIPE_M, PIPE_MTE1, 0);
        pipe_sync(PIPE_M, PIPE_FIX, 0);
        TPUSH<TileSplitAxis::TILE_UP_DOWN>(c2v, acc);
        set_flag(PIPE_FIX, PIPE_M, 0);
    }
    wait_flag(PIPE_MTE1, PIPE_MTE2, 0);
    wait_flag(PIPE_M, PIPE_MTE1, 0);
    wait_flag(PIPE_FIX, PIPE_M, 0);
}
[[vector]] void vector() {
    set_flag(PIPE_V, PIPE_MTE2, 0);
    set_flag(PIPE_MTE3, PIPE_V, 0);
    for (int n = 0; n < 64 / 16 / get_block_num(); n++) {
        int i = n * get_block_num() + get_block_idx();
        wait_flag(PIPE_V, PIPE_MTE2, 0);
        TLOAD(biasv, bias(i * 16 + get_subblockid() * 8, 0));
        TPOP<TileSplitAxis::TILE_UP_DOWN>(c2v, x);
        pipe_sync(PIPE_MTE2, PIPE_V, 0);
        wait_flag(PIPE_MTE3, PIPE_V, 0);
        TADD(y, x, biasv);
        set_flag(PIPE_V, PIPE_MTE2, 0);
        TRELU(y, y);
        pipe_sync(PIPE_V, PIPE_MTE3, 0);
        TSTORE(out(i * 16 + get_subblockid() * 8, 0), y);
        set_flag(PIPE_MTE3, PIPE_V, 0);
    }
    wait_flag(PIPE_V, PIPE_MTE2, 0);
    wait_flag(PIPE_MTE3, PIPE_V, 0);
}
