#pragma tensim name 6-6c-next-kernel
#pragma tensim profile a2a3
#pragma tensim preset flat
#pragma tensim dispatches 2
#pragma tensim expect {verdict: hazard, finds: [E_STALE_READ, W_RESIDUAL], cycles: 0, peak: {}}
Tile<TileType::Acc, float, 16, 16> acc;
Tile<TileType::Vec, float, 8, 16> x;
Tile<TileType::Vec, float, 8, 16> y;
Tile<TileType::Mat, float, 16, 16> m;
TPipe<0, Direction::DIR_C2V, 1024, 2, 2, false, false> a;
[[cube]] void cube() {
    pipe_barrier(PIPE_ALL);
    for (int i = 0; i < 3; i++) {
        TPUSH<TileSplitAxis::TILE_UP_DOWN>(a, acc);
    }
}
[[vector]] void vector() {
    for (int i = 0; i < 2; i++) {
        TPOP<TileSplitAxis::TILE_UP_DOWN>(a, x);
    }
}
