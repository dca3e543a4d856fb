#pragma tensim name seed-32-gm-region
#pragma tensim profile a2a3
#pragma tensim preset flat
#pragma tensim expect {verdict: refused, finds: [E_GM_SIZE], cycles: 0, peak: {}}
Tile<TileType::Acc, float, 16, 32> acc;
Tile<TileType::Mat, float, 16, 32> m;
Tile<TileType::Vec, float, 8, 32> x;
[[gm(1048576), gm_size(4096)]] TPipe<0, Direction::DIR_C2V, 2048, 4, 2, false, false> p;
[[cube]] void cube() {
    TPUSH<TileSplitAxis::TILE_UP_DOWN>(p, acc);
}
[[vector]] void vector() {
    TPOP<TileSplitAxis::TILE_UP_DOWN>(p, x);
}
