#pragma tensim name bias
#pragma tensim profile a2a3
#pragma tensim preset flat
#pragma tensim sync auto
[[init(random)]] GlobalTensor<float, 32, 32> a;
[[init(random)]] GlobalTensor<float, 32, 32> b;
[[init(random)]] GlobalTensor<float, 1, 32> c;
[[expect("exp((a @ b + c) / 4) - relu(a @ b + c)")]] GlobalTensor<float, 32, 32> out;
Tile<TileType::Mat, float, 32, 32> a1;
Tile<TileType::Mat, float, 32, 32> b1;
Tile<TileType::Mat, float, 1, 32> c1;
Tile<TileType::Bias, float, 1, 32> cb;
Tile<TileType::Left, float, 16, 32> l;
Tile<TileType::Right, float, 32, 32> r;
Tile<TileType::Acc, float, 16, 32> acc;
Tile<TileType::Vec, float, 8, 32> x;
Tile<TileType::Vec, float, 8, 32> y;
Tile<TileType::Vec, float, 8, 16> half;
Tile<TileType::Vec, float, 8, 32> all;
TPipe<0, Direction::DIR_C2V, 2048, 2, 2, false, true> p;
[[cube]] void cube() {
    TLOAD(a1, a);
    TLOAD(b1, b);
    TLOAD(c1, c);
    TMOV(r, b1);
    TMOV(cb, c1);
    for (int i = 0; i < 2; i++) {
        TEXTRACT(l, a1, i * 16, 0);
        [[uf]] TMATMUL_BIAS(acc, l, r, cb);
        TPUSH<TileSplitAxis::TILE_UP_DOWN>(p, acc);
    }
}
[[vector]] void vector() {
    for (int i = 0; i < 2; i++) {
        TPOP<TileSplitAxis::TILE_UP_DOWN>(p, x);
        TDIVS(y, x, 4);
        TEXP(y, y);
        TRELU(x, x);
        TNEG(x, x);
        for (int s = 0; s < 2; s++) {
            TEXTRACT(half, x, 0, s * 16);
            TINSERT(all, half, 0, s * 16);
        }
        TADD(y, y, all);
        TFREE<TileSplitAxis::TILE_UP_DOWN>(p);
        TSTORE(out(i * 16 + get_subblockid() * 8, 0), y);
    }
}
