#pragma tensim name tensor-pair
#pragma tensim profile a2a3
#pragma tensim preset flat
#pragma tensim expect {verdict: refused, finds: [E_PAIR], cycles: 0, peak: {}}
GlobalWindow<float, 16, 16> g;
Tile<TileType::Acc, float, 16, 16> acc;
Tile<TileType::Vec, float, 8, 16> x;
Tile<TileType::Vec, float, 8, 16> y;
Tile<TileType::Mat, float, 16, 16> m;
TPipe<0, Direction::DIR_C2V, 1024, 2, 2, false, false> a;
[[cube]] void cube() {
    TPUSH<TileSplitAxis::TILE_UP_DOWN>(a, g);
}
[[vector]] void vector() {
    pipe_barrier(PIPE_ALL);
}
