#pragma tensim name variant-e-flag-per-slot
#pragma tensim profile a2a3
#pragma tensim preset flat
#pragma tensim expect {verdict: pass, finds: [W_RESIDUAL], cycles: 0, peak: {}}
Tile<TileType::Acc, float, 16, 16> acc;
Tile<TileType::Vec, float, 8, 16> x;
Tile<TileType::Vec, float, 8, 16> y;
Tile<TileType::Mat, float, 16, 16> m;
[[variant(E)]] TPipe<0, Direction::DIR_C2V, 1024, 4, 2, false, false> a;
[[cube]] void cube() {
    for (int i = 0; i < 12; i++) {
        TPUSH<TileSplitAxis::TILE_UP_DOWN>(a, acc);
    }
}
[[vector]] void vector() {
    for (int i = 0; i < 12; i++) {
        TPOP<TileSplitAxis::TILE_UP_DOWN>(a, x);
    }
}
