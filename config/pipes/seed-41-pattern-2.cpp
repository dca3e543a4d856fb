// Pattern 2: Vec to Mat tile passing with a row split. Two producers of 128 x 256 fill one Mat tile of 256 x 256.
// The ring of four slots takes all of L1 (4 x 131072 bytes): no other tile has room there, TPOP binds the tile to
// its slot, and nothing shares an address by hand.
#pragma tensim profile a5
#pragma tensim sync auto
#pragma tensim expect {verdict: pass, cycles: 9126, peak: {pipe: 1}}
using ProdTile = Tile<TileType::Vec, half, 128, 256>;
using ConsTile = Tile<TileType::Mat, half, 256, 256>;
using Vec2MatPipe = TMPipe<2, FIFOType::MAT_FIFO, 4, 1, ProdTile, ConsTile, false, 2, VecCubeRatio::V2C1_VECS>;
[[init(random)]] GlobalTensor<half, 256, 256> w;
[[expect("rows(w, 0, 64) @ t(rows(t(w), 0, 64))")]] GlobalTensor<float, 64, 64> out;
Tile<TileType::Left, half, 64, 256> l;
Tile<TileType::Right, half, 256, 64> r;
Tile<TileType::Acc, float, 64, 64> acc;

Vec2MatPipe pipe(/* MAT FIFO base */ 0);

void vec_producer(ProdTile &vec)
{
    for (int i = 0; i < 6; i++) {
        TLOAD(vec, w(get_subblockid() * 128, 0));
        TPUSH_IMPL(vec, pipe);
    }
}

void cube_consumer(ConsTile &mat)
{
    for (int i = 0; i < 6; i++) {
        TPOP_IMPL(mat, pipe);
        TEXTRACT(l, mat, 0, 0);
        TEXTRACT(r, mat, 0, 0);
        TFREE_IMPL(pipe);
        TMATMUL(acc, l, r);
        TSTORE(out, acc);
    }
}
