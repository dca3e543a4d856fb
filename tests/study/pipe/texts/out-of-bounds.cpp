#pragma tensim name out-of-bounds
#pragma tensim profile a2a3
#pragma tensim preset flat
#pragma tensim expect {verdict: hazard, finds: [E_BOUNDS], cycles: 0, peak: {}}
GlobalTensor<float, 64, 128> far;
Tile<TileType::Acc, float, 16, 16> acc;
Tile<TileType::Vec, float, 8, 16> x;
Tile<TileType::Vec, float, 8, 16> y;
Tile<TileType::Mat, float, 16, 16> m;
Tile<TileType::Vec, float, 64, 128> big;
TPipe<0, Direction::DIR_C2V, 1024, 2, 2, false, false> a;
[[cube]] void cube() {
    pipe_barrier(PIPE_ALL);
}
[[vector]] void vector() {
    TLOAD(big(0, 0, 64, 128), far(1, 0));
    for (int i = 0; i < 2; i++) {
        TADD(x[i], x[i], x[i]);
    }
}
