#pragma tensim name 6-8-alias-corrupts
#pragma tensim profile a2a3
#pragma tensim preset flat
#pragma tensim unsafe true
#pragma tensim expect {verdict: hazard, finds: [E_FLAG_ALIAS, E_OVERWRITE], cycles: 0, peak: {}}
GlobalTensor<float, 64, 128> far;
Tile<TileType::Acc, float, 16, 16> acc;
Tile<TileType::Vec, float, 8, 16> x;
Tile<TileType::Vec, float, 8, 16> y;
Tile<TileType::Mat, float, 16, 16> m;
Tile<TileType::Vec, float, 64, 128> big;
TPipe<0, Direction::DIR_C2V, 1024, 2, 2, false, false> a;
TPipe<1, Direction::DIR_V2C, 1024, 2, 2, false, false> b;
[[cube]] void cube() {
    for (int i = 0; i < 3; i++) {
        TPUSH<TileSplitAxis::TILE_UP_DOWN>(a, acc);
    }
    TPOP<TileSplitAxis::TILE_UP_DOWN>(b, m);
}
[[vector]] void vector() {
    TPUSH<TileSplitAxis::TILE_UP_DOWN>(b, y);
    pipe_barrier(PIPE_ALL);
    TLOAD(big, far);
    pipe_barrier(PIPE_ALL);
    for (int i = 0; i < 3; i++) {
        TPOP<TileSplitAxis::TILE_UP_DOWN>(a, x);
    }
}
