// TMPipe usage: a V2C multi-pipe through GM, depth 4, two Vector cores. Each Vector core stores its rows of the
// slot: with a GM FIFO the program says where (setEntryOffset).
#pragma tensim profile a2a3
#pragma tensim sync auto
#pragma tensim expect {verdict: pass, cycles: 852, peak: {multiPipe: 1}}
using VecTile = Tile<TileType::Vec, float, 16, 64>;
using MatTile = Tile<TileType::Mat, float, 32, 64>;
using MyMultiPipe = TMPipe<4,                        // FlagID
                           FIFOType::GM_FIFO,        // GM FIFO
                           4,                        // FiFoDepth
                           1,                        // FiFoSyncT
                           VecTile,                  // producer tile
                           MatTile,                  // consumer tile
                           false,                    // EN_UNIT_FLAG
                           2,                        // LocalFiFoDepth
                           VecCubeRatio::V2C1_VECS>; // two Vector cores
[[init(random)]] GlobalTensor<float, 128, 64> w;
[[init(random)]] GlobalTensor<float, 16, 32> a;
[[expect("a @ (rows(w, 96, 128) * 2)")]] GlobalTensor<float, 16, 64> out;
Tile<TileType::Mat, float, 16, 32> a1;
Tile<TileType::Left, float, 16, 32> l;
Tile<TileType::Right, float, 32, 64> r;
Tile<TileType::Acc, float, 16, 64> acc;

MyMultiPipe multiPipe(/* GM FIFO base */ reinterpret_cast<__gm__ float *>(0x200000), /* local FIFO base */ 0xA000);

void producer_vec(VecTile &vTile)
{
    multiPipe.prod.setEntryOffset(get_subblockid() * 16 * 64 * 4);
    for (int i = 0; i < 4; i++) {
        TLOAD(vTile, w(i * 32 + get_subblockid() * 16, 0));
        TMULS(vTile, vTile, 2);
        TPUSH_IMPL(vTile, multiPipe);
    }
}

void consumer_cube(MatTile &mTile)
{
    TLOAD(a1, a);
    TMOV(l, a1);
    for (int i = 0; i < 4; i++) {
        TPOP_IMPL(mTile, multiPipe);
        TMOV(r, mTile);
        TMATMUL(acc, l, r);
        TSTORE(out, acc);
    }
}
