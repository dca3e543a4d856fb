// A program of the build: writes the values of a YAML file as C initialisers, so that the library
// has them without a file and the numbers stand in one place.
//
//   gen-defaults config/blackhole.yaml          #define TS_RISCV_DEFAULTS .mispredict = 4, ...
//   gen-defaults --known config/blackhole.yaml  its rows, so that loading this very file needs no parser
//
// A number that is missing or out of range fails the build, with file and line.
#include "platform/base/hash.h"
#include "platform/base/param_rows.h"
#include "platform/base/yaml.h"

const struct ts_params_known ts_params_known; // this program knows nothing yet

static void write_group(const struct ts_param_group *group)
{
    printf("#define TS_");
    for (const char *c = group->name; *c; c++)
        putchar(toupper((unsigned char)*c));
    printf("_DEFAULTS");
    for (size_t i = 0; i < group->count; i++)
        printf(" \\\n    .%s = %lld,", group->rows[i].key, (long long)group->values[i].value);
    putchar('\n');
}

static void write_text(struct ts_yaml_node node)
{
    putchar('"');
    for (const char *c = ts_yaml_text(node, ""); *c; c++)
        printf(*c == '"' || *c == '\\' ? "\\%c" : "%c", *c);
    printf("\", ");
}

// Choices of one name for all have a row without a key; its unit is the name.
static void write_known_group(struct ts_yaml_node name, struct ts_yaml_node group)
{
    const bool map = ts_yaml_is_map(group);
    for (size_t i = 0; i < (map ? ts_yaml_count(group) : 1); i++) {
        struct ts_yaml_node row = map ? ts_yaml_value(group, i) : group;
        const bool number = ts_yaml_is_map(row);
        printf("    {");
        write_text(name);
        write_text(map ? ts_yaml_key(group, i) : (struct ts_yaml_node){group.file, NULL});
        write_text(number ? ts_yaml_require(row, "unit") : row);
        write_text(number ? ts_yaml_require(row, "kind") : (struct ts_yaml_node){row.file, NULL});
        write_text(number ? ts_yaml_require(row, "source") : (struct ts_yaml_node){row.file, NULL});
        printf("%s, %d},\n", number ? ts_yaml_text(ts_yaml_require(row, "value"), "") : "0",
               ts_yaml_line(row));
    }
}

static int write_known(const char *path)
{
    struct ts_error error = {0};
    struct ts_yaml yaml;
    if (ts_yaml_load(&yaml, path, &error)) {
        struct ts_yaml_node root = ts_yaml_root(&yaml);
        printf("#include \"platform/base/params.h\"\n\n"
               "static const struct ts_param_known rows[] = {\n");
        for (size_t i = 0; i < ts_yaml_count(root); i++)
            write_known_group(ts_yaml_key(root, i), ts_yaml_value(root, i));
        printf("};\n\nconst struct ts_params_known ts_params_known = {\n"
               "    UINT64_C(0x%llx), rows, sizeof rows / sizeof *rows};\n",
               (unsigned long long)ts_hash_file(TS_HASH_START, path));
        ts_yaml_free(&yaml);
    }
    if (error.code != TS_OK)
        fprintf(stderr, "gen-defaults: %s\n", error.text);
    return (int)error.code;
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "--known") == 0)
        return write_known(argv[2]);
    if (argc != 2) {
        fputs("usage: gen-defaults [--known] FILE\n", stderr);
        return TS_USAGE;
    }
    struct ts_params params = {0};
    struct ts_error error = {0};
    TS_PARAM_ROWS(&params, chip);
    TS_PARAM_ROWS(&params, riscv);
    TS_PARAM_ROWS(&params, tensix);
    TS_PARAM_ROWS(&params, noc);
    TS_PARAM_ROWS(&params, dram);
    TS_PARAM_ROWS(&params, free);
    if (ts_params_load(&params, argv[1], &error) == TS_OK)
        for (size_t i = 0; i < params.count; i++)
            write_group(&params.groups[i]);
    else
        fprintf(stderr, "gen-defaults: %s\n", error.text);
    ts_params_free(&params);
    return (int)error.code;
}
