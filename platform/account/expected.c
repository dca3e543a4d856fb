// Expected errors by source (account.h).
//
// Sources: products, config/fidelity_error.def; sums in Dst, the bit-exact model itself over inner
// dimensions of 32 to 2048 (test_expected repeats some of them); functions of the vector unit, the
// bounds of test_jobs. The operands are random, so the estimate has a margin.
//
// Inaccuracies: operands are taken as N(0, 1); a mean far from 0 shifts errors by less than the
// margin.
#include "platform/account/account.h"

#define MARGIN 1.5

static double product_error(unsigned format, uint32_t phases)
{
    static const struct {
        unsigned format;
        double error[4];
    } rows[] = {
#define TS_FIDELITY_ERROR(format, ...) {TS_DF_##format, {__VA_ARGS__}},
#include "config/fidelity_error.def"
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].format == format)
            return rows[i].error[phases - 1];
    return 0;
}

// Has Dst 5-bit exponents?
static bool is_narrow(const struct ts_numbers *s)
{
    return ts_format_is_fp16_class(s->format) && !ts_datum_integer(s->format);
}

// Sums of `terms` products. A 16-bit Dst rounds at each addition, always towards the same side for
// sums that grow, so its error grows nearly in proportion. A 32-bit Dst only loses what the matrix
// unit drops from each group of products.
static double sum_error(const struct ts_numbers *s, double terms)
{
    if (s->dst32)
        return 4e-4;
    double bf16 = 4e-3 + 3e-5 * terms;
    return is_narrow(s) ? bf16 / 8 : bf16; // three more bits
}

// The loss of a value that is only moved through Dst: 32-bit formats pass Src as TF32.
static double copy_error(const struct ts_numbers *s)
{
    bool wide = s->format == TS_DF_FP32 || s->format == TS_DF_TF32;
    return wide ? s->dst32 ? 1.1e-3 : 4e-3 : 0;
}

// The result's rounding. What Dst holds as FP16 is cut to BF16, not rounded.
static double result_error(const struct ts_numbers *s)
{
    bool cut = !s->dst32 && s->out_format == TS_DF_BF16 && is_narrow(s);
    return (cut ? 2 : 1) * ts_datum_rounding(s->out_format);
}

double ts_expected_error(const struct ts_numbers *s)
{
    double error = s->products * product_error(s->format, s->phases) + s->copies * copy_error(s) +
                   s->more;
    if (ts_datum_integer(s->format))
        return 0; // sums of integers are exact
    if (s->terms > 0)
        error += sum_error(s, s->terms);
    return MARGIN * (error + result_error(s));
}

static bool is_product(const struct ts_numbers *s)
{
    return strcmp(s->unit, "product") == 0;
}

#define PRODUCTS (UINT64_C(1) << 23)

uint32_t ts_end_to_end_rows(const struct ts_numbers *s)
{
    uint64_t rows = is_product(s) ? PRODUCTS / s->inner / TS_TILE * TS_TILE : s->rows;
    if (rows >= s->rows)
        return s->rows;
    return rows > TS_TILE ? (uint32_t)rows : TS_TILE;
}

const char *ts_expected_note(const struct ts_numbers *s)
{
    if (!is_product(s) || s->dst32 || s->phases < 3)
        return NULL;
    return "with a 16-bit Dst, HiFi3 and HiFi4 can be less exact than HiFi2: every phase adds to "
           "Dst, which rounds each time; --dst 32 keeps the sums";
}

void ts_expected_text(const struct ts_numbers *s, double rel_l2, char *text, size_t size)
{
    static const char *const fidelities[] = {"LoFi", "HiFi2", "HiFi3", "HiFi4"};
    double most = ts_expected_error(s);
    char what[64];
    snprintf(what, sizeof what, "%s with %u-bit Dst",
             s->products > 0 ? fidelities[s->phases - 1] : ts_datum_name(s->format),
             s->dst32 ? 32 : 16);
    if (!isfinite(rel_l2))
        snprintf(text, size, "no measure: a value is infinite or not a number");
    else if (rel_l2 == 0)
        snprintf(text, size, "exact");
    else if (rel_l2 <= most)
        snprintf(text, size, "expected for %s", what);
    else if (most == 0)
        snprintf(text, size, "larger than expected: %s is exact with HiFi4",
                 ts_datum_name(s->format));
    else
        snprintf(text, size, "larger than expected for %s: at most %.1e", what, most);
}

void ts_fidelity_json(const struct ts_numbers *s, json_t *document)
{
    const double error = product_error(s->format, s->phases);
    unsigned fewer = 1;
    while (fewer < s->phases && product_error(s->format, fewer) != error)
        fewer++;
    json_object_set_new(document, "fidelity_rel_l2", json_real(error));
    if (fewer < s->phases)
        json_object_set_new(document, "fidelity_note",
                            json_sprintf("%s with %s gains nothing over %s, which multiplies all "
                                         "bits of its mantissas in %u %s",
                                         ts_datum_name(s->format), ts_fidelity_name(s->phases),
                                         ts_fidelity_name(fewer), fewer,
                                         fewer == 1 ? "phase" : "phases"));
}
