#pragma tensim name dequant-gemm
#pragma tensim profile a2a3
#pragma tensim preset flat
[[init(random)]] GlobalTensor<float, 16, 128> a;
[[init(ints), low(-100), high(100)]] GlobalTensor<int8_t, 128, 32> bq;
[[init(ints), low(-5), high(5)]] GlobalTensor<float, 128, 1> offset;
[[init(random), low(0.01), high(0.10000000000000001)]] GlobalTensor<float, 128, 1> scale;
[[expect("a @ ((bq - offset) * scale)")]] GlobalTensor<float, 16, 32> out;
Tile<TileType::Mat, float, 16, 64> a1[2];
Tile<TileType::Mat, float, 64, 32> b1;
Tile<TileType::Left, float, 16, 64> a0;
Tile<TileType::Right, float, 64, 32> b0;
Tile<TileType::Acc, float, 16, 32> acc;
Tile<TileType::Vec, int8_t, 32, 32> q;
Tile<TileType::Vec, float, 32, 1> off;
Tile<TileType::Vec, float, 32, 1> sc;
Tile<TileType::Vec, float, 32, 32> w;
TPipe<0, Direction::DIR_V2C, 8192, 2, 2, false, false> weights;
[[cube]] void cube() {
    set_flag(PIPE_MTE1, PIPE_MTE2, 0);
    set_flag(PIPE_M, PIPE_MTE1, 0);
    for (int k = 0; k < 2; k++) {
        wait_flag(PIPE_MTE1, PIPE_MTE2, 0);
        TLOAD(a1[k % 2], a(0, k * 64));
        TPOP<TileSplitAxis::TILE_UP_DOWN>(weights, b1);
        pipe_sync(PIPE_MTE2, PIPE_MTE1, 0);
        wait_flag(PIPE_M, PIPE_MTE1, 0);
        TMOV(a0, a1[k % 2]);
        TMOV(b0, b1);
        TFREE<TileSplitAxis::TILE_UP_DOWN>(weights);
        set_flag(PIPE_MTE1, PIPE_MTE2, 0);
        pipe_sync(PIPE_MTE1, PIPE_M, 0);
        if (k == 0) {
            TMATMUL(acc, a0, b0);
        } else {
            TMATMUL_ACC(acc, a0, b0);
        }
        set_flag(PIPE_M, PIPE_MTE1, 0);
    }
    pipe_sync(PIPE_M, PIPE_FIX, 0);
    TSTORE(out, acc);
    wait_flag(PIPE_MTE1, PIPE_MTE2, 0);
    wait_flag(PIPE_M, PIPE_MTE1, 0);
}
[[vector]] void vector() {
    set_flag(PIPE_V, PIPE_MTE2, 0);
    set_flag(PIPE_MTE3, PIPE_V, 0);
    for (int k = 0; k < 2; k++) {
        wait_flag(PIPE_V, PIPE_MTE2, 0);
        TLOAD(q, bq(k * 64 + get_subblockid() * 32, get_subblockid() * 0));
        TLOAD(off, offset(k * 64 + get_subblockid() * 32, 0));
        TLOAD(sc, scale(k * 64 + get_subblockid() * 32, 0));
        pipe_sync(PIPE_MTE2, PIPE_V, 0);
        wait_flag(PIPE_MTE3, PIPE_V, 0);
        TCVT(w, q);
        TROWEXPANDSUB(w, w, off);
        TROWEXPANDMUL(w, w, sc);
        set_flag(PIPE_V, PIPE_MTE2, 0);
        pipe_sync(PIPE_V, PIPE_MTE3, 0);
        TPUSH<TileSplitAxis::TILE_UP_DOWN>(weights, w);
        set_flag(PIPE_MTE3, PIPE_V, 0);
    }
    wait_flag(PIPE_V, PIPE_MTE2, 0);
    wait_flag(PIPE_MTE3, PIPE_V, 0);
}
