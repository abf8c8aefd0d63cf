import { createReadStream } from 'node:fs'
import {
  CommandError,
  parseOptions,
  required,
  requireOne,
  runCommandLine,
} from '../../../shared/runtime/command-line.ts'
import { EvidenceError } from '../evidence-error.ts'
import { MAX_EVIDENCE_LENGTH } from '../read-evidence.ts'
import { verifyEvidence } from '../verify-evidence.ts'
import { describeEvidence } from './describe-evidence.ts'

const USAGE = `Verifies offline that payments reached a charge and which accounts its split paid, given block hashes that you trust.

  svc-verify-payment FILE --address 0x… --block-hash 0x…
      FILE               evidence, as "svc charges evidence ID" prints it; - reads standard input
      --address ADDRESS  the charge's address as the merchant or the checkout showed it: anyone can make another address
                         with the same id
      --block-hash 0x…   hash of a block with one of the charge's transactions, from a node or explorer that you trust;
                         repeatable. Do not take it from the file or the file's sender.
      --token 0x…        contract of a token that this package does not know, and that you trust on the chain of these
                         blocks; repeatable

Exit code 0 if every proof in these blocks is valid and each block has a proof. Exit code 1 if not: the file then
proves nothing.
Transactions that the file lists without a proof, or in other blocks, are printed as NOT VERIFIED.
`

await runCommandLine({ usage: USAGE, run: verify })

async function verify(args: string[]): Promise<readonly string[]> {
  const { values, positionals } = parseOptions(args, {
    ...{ texts: ['address'], lists: ['block-hash', 'token'], allowPositionals: true },
  })
  const file = requireOne(positionals, 'name one FILE with evidence')
  const blockHashes = values['block-hash']
  if (blockHashes.length === 0)
    throw new CommandError('--block-hash is missing: a proof needs a block hash that you trust')
  try {
    const address = required(values.address, 'address')
    const trust = { address, blockHashes, tokens: values.token }
    return describeEvidence(await verifyEvidence(await readText(file), trust))
  } catch (error) {
    if (!(error instanceof EvidenceError)) throw error
    throw new CommandError(`NOT PROVEN: ${error.message}.`)
  }
}

/** Reads a bounded number of bytes, because the size of a pipe is unknown. */
async function readText(file: string): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  try {
    for await (const chunk of file === '-' ? process.stdin : createReadStream(file)) {
      chunks.push(chunk as Buffer)
      bytes += (chunk as Buffer).length
      if (bytes > MAX_EVIDENCE_LENGTH)
        throw new EvidenceError(`${file} has more than ${MAX_EVIDENCE_LENGTH} bytes`)
    }
  } catch (error) {
    if (error instanceof EvidenceError) throw error
    throw new CommandError(`${file} cannot be read: ${(error as Error).message}`)
  }
  return Buffer.concat(chunks).toString('utf8')
}
