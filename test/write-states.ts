/** `npm run states`: generates the page of states and transitions. */
import { writeFile } from 'node:fs/promises'
import { STATES_FILE, statesDocument } from './support/states-document.ts'

await writeFile(STATES_FILE, statesDocument())
