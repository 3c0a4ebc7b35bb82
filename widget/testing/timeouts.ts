import { configure } from '@testing-library/preact';

// A condition may take its time where the machine is busy.
configure({ asyncUtilTimeout: 15_000 });
