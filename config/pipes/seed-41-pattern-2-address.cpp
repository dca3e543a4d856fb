// Pattern 2 with the MAT FIFO base of the page, 0x300000: L1 ends at 0x80000.
#pragma tensim profile a5
#pragma tensim expect {verdict: refused, finds: [E_LOCAL_SIZE]}
using ProdTile = Tile<TileType::Vec, half, 128, 256>;
using ConsTile = Tile<TileType::Mat, half, 256, 256>;
using Vec2MatPipe = TMPipe<2, FIFOType::MAT_FIFO, 4, 1, ProdTile, ConsTile, false, 2, VecCubeRatio::V2C1_VECS>;

Vec2MatPipe pipe(/* MAT FIFO base */ 0x300000);

void vec_producer(ProdTile &vec)
{
    TPUSH_IMPL(vec, pipe);
}
