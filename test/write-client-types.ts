/** `npm run client-types`: generates `api-types.ts`, the types of the API client. */
import { writeFile } from 'node:fs/promises'
import { CLIENT_TYPES_FILE, generateClientTypes } from './support/client-types.ts'

await writeFile(CLIENT_TYPES_FILE, await generateClientTypes())
