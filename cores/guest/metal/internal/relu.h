// ReLU in the packer. Included by compute.h.
#pragma once

namespace ckernel {

// Threshold: 16 bits, as Dst holds it.
struct ReluConfig {
    ReluType mode = ReluType::NO_RELU;
    uint32_t threshold = 0;
    static constexpr ReluConfig none() { return {}; }
    static constexpr ReluConfig zero() { return {ReluType::ZERO_RELU, 0}; }
    static constexpr ReluConfig min(uint32_t at) { return {ReluType::MIN_THRESHOLD_RELU, at}; }
    static constexpr ReluConfig max(uint32_t at) { return {ReluType::MAX_THRESHOLD_RELU, at}; }
    static constexpr ReluConfig from_packed(uint32_t word)
    {
        return {ReluType(word & 3), word >> 16};
    }
};
#ifdef TRISC_PACK
inline void llk_pack_relu_config(const ReluConfig &config)
{
    TTI_STALLWAIT(p_stall::STALL_CFG, p_stall::PACK);
    cfg_rmw(STACC_RELU_ApplyRelu_ADDR32, STACC_RELU_ApplyRelu_MASK | STACC_RELU_ReluThreshold_MASK,
            uint32_t(config.mode) << STACC_RELU_ApplyRelu_SHAMT |
                config.threshold << STACC_RELU_ReluThreshold_SHAMT);
}
inline void llk_pack_relu_config(uint32_t word)
{
    llk_pack_relu_config(ReluConfig::from_packed(word));
}
inline void llk_pack_reconfig_l1_acc(uint32_t on)
{
    packer::l1_accumulate(on != 0);
}
#endif
ALWI void pack_relu_config([[maybe_unused]] uint32_t word)
{
    PACK(llk_pack_relu_config(word));
}
ALWI void pack_relu_config([[maybe_unused]] const ReluConfig &config)
{
    PACK(llk_pack_relu_config(config));
}

} // namespace ckernel
