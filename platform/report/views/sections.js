// A page whose sections C has made: of a run (a hang stands behind its figures), of the silicon table.
views.sections = page => {
    const [first, ...others] = page.sections;
    return {...page, sections: [first, ...page.hang ? hangSections(page.hang) : [], ...others]};
};
