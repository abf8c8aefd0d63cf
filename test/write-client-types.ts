/** `npm run client-types`: writes the types of the API client anew. */
import { writeFile } from 'node:fs/promises'
import { CLIENT_TYPES_FILE, generateClientTypes } from './support/client-types.ts'

await writeFile(CLIENT_TYPES_FILE, await generateClientTypes())
