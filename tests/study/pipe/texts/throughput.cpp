#pragma tensim name throughput
#pragma tensim profile a2a3
#pragma tensim preset flat
#pragma tensim sync auto
[[init(random)]] GlobalTensor<half, 16, 16> a;
[[init(random)]] GlobalTensor<half, 16, 16> b;
[[expect("relu(a @ b * 2)")]] GlobalTensor<float, 16, 16> out;
Tile<TileType::Mat, half, 16, 16> a1[2];
Tile<TileType::Mat, half, 16, 16> b1;
Tile<TileType::Left, half, 16, 16> a0[2];
Tile<TileType::Right, half, 16, 16> b0;
Tile<TileType::Acc, float, 16, 16> acc[2];
Tile<TileType::Vec, float, 8, 16> x;
Tile<TileType::Vec, float, 8, 16> y[2];
TPipe<0, Direction::DIR_C2V, 1024, 8, 2, false, false> p;
[[cube]] void cube() {
    TLOAD(b1, b);
    TMOV(b0, b1);
    for (int i = 0; i < 2000; i++) {
        TLOAD(a1[i % 2], a);
        TMOV(a0[i % 2], a1[i % 2]);
        TMATMUL(acc[i % 2], a0[i % 2], b0);
        TPUSH<TileSplitAxis::TILE_UP_DOWN>(p, acc[i % 2]);
    }
}
[[vector]] void vector() {
    for (int i = 0; i < 2000; i++) {
        TPOP<TileSplitAxis::TILE_UP_DOWN>(p, x);
        TADD(y[i % 2], x, x);
        TRELU(y[i % 2], y[i % 2]);
        TSTORE(out(get_subblockid() * 8, 0), y[i % 2]);
    }
}
