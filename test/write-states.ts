/** `npm run states`: generates `docs/states.md`. */
import { writeFile } from 'node:fs/promises'
import { STATES_FILE, statesDocument } from './support/states-document.ts'

await writeFile(STATES_FILE, statesDocument())
