// The skeleton of every page (page.h).
#include "platform/report/page.h"

void ts_html_text(FILE *file, const char *text)
{
    for (; *text; text++) {
        if (*text == '<')
            fputs("&lt;", file);
        else if (*text == '>')
            fputs("&gt;", file);
        else if (*text == '&')
            fputs("&amp;", file);
        else if (*text == '"')
            fputs("&quot;", file);
        else
            fputc(*text, file);
    }
}

void ts_page_begin(FILE *file, const char *title)
{
    fputs("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">"
          "<link rel=\"icon\" href=\"data:,\"><title>",
          file);
    ts_html_text(file, title);
    fprintf(file, "</title><style>\n%s</style></head><body>\n<h1>", ts_page_css);
    ts_html_text(file, title);
    fputs("</h1>\n", file);
}

void ts_page_end(FILE *file)
{
    fprintf(file, "<div id=\"tip\"></div>\n<script>\n%s</script>\n</body></html>\n", ts_page_js);
}

void ts_table_begin(FILE *file, const char *class, const char *const *heads)
{
    fprintf(file, "<div class=\"scroll\"><table class=\"%s\"><tr>", class);
    for (; *heads; heads++) {
        fputs("<th>", file);
        ts_html_text(file, *heads);
        fputs("</th>", file);
    }
    fputs("</tr>\n", file);
}

void ts_table_end(FILE *file)
{
    fputs("</table></div>\n", file);
}
