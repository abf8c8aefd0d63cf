import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import type { Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { CommandError } from '../../../shared/runtime/command-line.ts'
import { answerOf } from '../client.ts'
import { payBySignature } from '../pay-by-signature.ts'
import type { Eip1193Wallet } from '../pay-with-swap.ts'
import type { Schema } from '../schema.ts'
import { readPair } from './option-values.ts'
import type { SvcCommand } from './svc-command.ts'

const USAGE = `Pays a charge by a signature of a local key, which needs no coin for gas.

  npm run svc -- charges authorize ID --with TOKEN@NETWORK --key-file FILE
      --with TOKEN@NETWORK   one of the charge's payBySignature, such as USDC@base
      --key-file FILE        holds the payer's private key, 0x and 64 hex digits; it is sent nowhere
      --json                 print the charge as JSON

It signs once. If it ends without an answer, read the charge before you run it again: the payment may be under way.
`

/** `svc charges authorize`. */
export const authorizeCharge: SvcCommand = {
  usage: USAGE,
  run: async (api, args) => {
    const { values, positionals } = parseArgs({
      args,
      allowPositionals: true,
      options: {
        with: { type: 'string' },
        'key-file': { type: 'string' },
        json: { type: 'boolean', default: false },
      },
    })
    const [id, ...others] = positionals
    if (id === undefined || others.length > 0)
      throw new CommandError('charges authorize takes the id of one charge; see --help')
    if (values.with === undefined || values['key-file'] === undefined)
      throw new CommandError('charges authorize needs --with and --key-file; see --help')
    const pair = readPair('with', values.with)
    const account = privateKeyToAccount(readKey(values['key-file']))
    const charge = await answerOf(api.GET('/v1/charges/{id}', { params: { path: { id } } }))
    const paid = await payBySignature(api, walletOf(account), { charge, pair, payer: account.address })
    return values.json ? [JSON.stringify(paid, null, 2)] : describe(paid, account.address)
  },
}

/** Its errors show nothing of what stands in the file. */
function readKey(path: string): Hex {
  let text: string
  try {
    text = readFileSync(path, 'utf8').trim()
  } catch (error) {
    throw new CommandError(`--key-file cannot be read: ${error instanceof Error ? error.message : 'unknown'}`)
  }
  if (!/^0x[0-9a-fA-F]{64}$/.test(text))
    throw new CommandError(`--key-file ${path} does not hold a private key: 0x and 64 hex digits`)
  return text as Hex
}

/** Signs typed data and can do nothing else. */
function walletOf(account: ReturnType<typeof privateKeyToAccount>): Eip1193Wallet {
  return {
    request: ({ method, params }) => {
      if (method !== 'eth_signTypedData_v4') throw new Error(`a local key is not asked ${method}`)
      const [, typedData] = params as readonly [Hex, string]
      return account.signTypedData(JSON.parse(typedData))
    },
  }
}

function describe({ id, status, authorization }: Schema<'Charge'>, payer: Hex): readonly string[] {
  const rows = [
    ['charge', id],
    ['payer', payer],
    ['signature', authorization?.state ?? 'not shown'],
    ['transaction', authorization?.txHash ?? 'none yet'],
    ['status', `${status}; it is credited at the network's confirmation depth: svc charges watch ${id}`],
  ]
  return rows.map(([name = '', value = '']) => `${name.padEnd(12)} ${value}`)
}
