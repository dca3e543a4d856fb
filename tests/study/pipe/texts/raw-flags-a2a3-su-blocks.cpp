#pragma tensim name raw-flags-a2a3-su-blocks
#pragma tensim profile a2a3
#pragma tensim preset flat
#pragma tensim expect {verdict: deadlock, finds: [E_DEADLOCK], cycles: 0, peak: {}}
GlobalTensor<float, 64, 128> far;
Tile<TileType::Acc, float, 16, 16> acc;
Tile<TileType::Vec, float, 8, 16> x;
Tile<TileType::Vec, float, 8, 16> y;
Tile<TileType::Mat, float, 16, 16> m;
Tile<TileType::Vec, float, 64, 128> big;
TPipe<0, Direction::DIR_C2V, 1024, 2, 2, false, false> a;
[[cube]] void cube() {
    wait_intra_block(PIPE_FIX, 6);
    set_intra_block(PIPE_FIX, 5);
}
[[vector]] void vector() {
    wait_intra_block(PIPE_V, 5);
    TLOAD(big, far);
    pipe_sync(PIPE_MTE2, PIPE_MTE3, 0);
    set_intra_block(PIPE_MTE3, 6);
}
