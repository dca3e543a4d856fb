// The families whose rows stand in config/silicon.
#include "platform/study/silicon/figures.h"
#include "platform/study/silicon/launch.h"

#define FAMILY riscv
#include "platform/study/silicon/family.h"

#define FAMILY frontend
#include "platform/study/silicon/family.h"

#define FAMILY control
#include "platform/study/silicon/family.h"

#define FAMILY datapath
#include "platform/study/silicon/family.h"

#define FAMILY trips
#include "platform/study/silicon/family.h"

#define FAMILY streams
#include "platform/study/silicon/family.h"

#define FAMILY nocbench
#include "platform/study/silicon/family.h"

#define FAMILY nocread
#include "platform/study/silicon/family.h"

#define FAMILY zones
#include "platform/study/silicon/family.h"

#define FAMILY multicast
#include "platform/study/silicon/family.h"

#define FAMILY dram
#include "platform/study/silicon/family.h"

#define FAMILY functions
#include "platform/study/silicon/family.h"

#define FAMILY scalar
#include "platform/study/silicon/family.h"

#define FAMILY runtime
#include "platform/study/silicon/family.h"

#define FAMILY buffers
#include "platform/study/silicon/family.h"

#define FAMILY movement
#include "platform/study/silicon/family.h"

#define FAMILY transport
#include "platform/study/silicon/family.h"

#define FAMILY dst
#include "platform/study/silicon/family.h"

#define FAMILY kernels
#include "platform/study/silicon/family.h"

#define FAMILY programs
#include "platform/study/silicon/family.h"

#define FAMILY matmuls
#include "platform/study/silicon/family.h"
