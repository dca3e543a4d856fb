views.sections = page => page;
