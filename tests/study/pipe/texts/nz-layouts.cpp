#pragma tensim name nz-layouts
#pragma tensim profile a5
#pragma tensim preset a5
#pragma tensim sync auto
[[init(random)]] GlobalTensor<half, 32, 64> a;
[[init(random)]] GlobalTensor<half, 256, 32> w;
[[expect("a @ rows(w, 192, 256) * 0.5")]] GlobalTensor<float, 32, 32> out;
[[layout(nz)]] Tile<TileType::Mat, half, 32, 64> a1;
[[layout(nz)]] Tile<TileType::Mat, half, 64, 32> m;
Tile<TileType::Left, half, 32, 64> l;
Tile<TileType::Right, half, 64, 32> r;
Tile<TileType::Acc, float, 32, 32> acc;
Tile<TileType::Vec, half, 32, 32> x[2];
[[layout(dn)]] Tile<TileType::Vec, float, 16, 32> z;
[[layout(dn)]] Tile<TileType::Vec, float, 16, 32> y[2];
[[layout(nz)]] TPipe<0, Direction::DIR_V2C, 4096, 2, 2, false, false> weights;
[[layout(dn)]] TPipe<2, Direction::DIR_C2V, 2048, 2, 2, false, false> results;
[[cube]] void cube() {
    TLOAD(a1, a);
    TMOV(l, a1);
    for (int i = 0; i < 4; i++) {
        TPOP<TileSplitAxis::TILE_UP_DOWN>(weights, m);
        TMOV(r, m);
        TFREE<TileSplitAxis::TILE_UP_DOWN>(weights);
        TMATMUL(acc, l, r);
        TPUSH<TileSplitAxis::TILE_UP_DOWN>(results, acc);
    }
}
[[vector]] void vector() {
    for (int i = 0; i < 4; i++) {
        TLOAD(x[i % 2], w(i * 64 + get_subblockid() * 32, 0));
        TPUSH<TileSplitAxis::TILE_UP_DOWN>(weights, x[i % 2]);
        TPOP<TileSplitAxis::TILE_UP_DOWN>(results, z);
        TMULS(y[i % 2], z, 0.5);
        TFREE<TileSplitAxis::TILE_UP_DOWN>(results);
        TSTORE(out(get_subblockid() * 16, 0), y[i % 2]);
    }
}
