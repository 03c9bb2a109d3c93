// Serves the page with the mock models until it is interrupted: `npm run mock`.

import { serve } from "./server.mjs";

const { address } = await serve({ port: 8787 });
console.log(address);
