#pragma tensim name 6-10-held-tiles
#pragma tensim profile a5
#pragma tensim preset a5
#pragma tensim expect {verdict: deadlock, finds: [E_DEADLOCK], cycles: 0, peak: {}}
Tile<TileType::Acc, float, 16, 16> acc;
Tile<TileType::Vec, float, 8, 16> x;
Tile<TileType::Vec, float, 8, 16> y;
Tile<TileType::Mat, float, 16, 16> m;
TPipe<0, Direction::DIR_V2C, 1024, 1, 2, false, false> b;
[[cube]] void cube() {
    TPOP<TileSplitAxis::TILE_UP_DOWN>(b, m);
    TPOP<TileSplitAxis::TILE_UP_DOWN>(b, m);
    TFREE<TileSplitAxis::TILE_UP_DOWN>(b);
    TFREE<TileSplitAxis::TILE_UP_DOWN>(b);
}
[[vector]] void vector() {
    for (int i = 0; i < 2; i++) {
        TPUSH<TileSplitAxis::TILE_UP_DOWN>(b, x);
    }
}
