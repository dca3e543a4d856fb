#pragma tensim name variant-d-tmpipe
#pragma tensim profile a2a3
#pragma tensim preset flat
#pragma tensim expect {verdict: pass, finds: [], cycles: 0, peak: {}}
Tile<TileType::Acc, float, 16, 16> acc;
Tile<TileType::Vec, float, 8, 16> x;
Tile<TileType::Vec, float, 8, 16> y;
Tile<TileType::Mat, float, 16, 16> m;
Tile<TileType::Vec, float, 16, 16> full;
TMPipe<0, FIFOType::GM_FIFO, 4, 2, Tile<TileType::Acc, float, 16, 16>, Tile<TileType::Vec, float, 16, 16>, false, 2, VecCubeRatio::V2C1_VECS> t;
[[cube]] void cube() {
    for (int i = 0; i < 6; i++) {
        TPUSH<TileSplitAxis::TILE_UP_DOWN>(t, acc);
    }
}
[[vector]] void vector() {
    for (int i = 0; i < 6; i++) {
        t.setEntryOffset(get_subblockid() * 0);
        TPOP<TileSplitAxis::TILE_UP_DOWN>(t, full);
    }
}
