import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import type { Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { parseApiKey } from '../../../shared/domain/api-key.ts'
import { parseDecimal } from '../../../shared/domain/decimal.ts'
import { readClientConfig } from '../../../shared/runtime/command-config.ts'
import { CommandError } from '../../../shared/runtime/command-line.ts'
import { SignatureMismatch, type SignedToken } from '../check-authorization.ts'
import { payBySignature } from '../pay-by-signature.ts'
import type { Eip1193Wallet } from '../pay-with-swap.ts'
import type { Schema } from '../schema.ts'
import { readPair } from './option-values.ts'
import type { SvcCommand } from './svc-command.ts'

const USAGE = `Pays a charge by a signature of a local key, which needs no coin for gas.

  npm run svc -- charges authorize ID --with TOKEN@NETWORK --to ADDRESS --amount AMOUNT --key-file FILE
      --with TOKEN@NETWORK   one of the charge's payBySignature, such as USDC@base
      --to ADDRESS           the charge's address, as you know it from whom you pay (npm run verify-address)
      --amount AMOUNT        dollars that you sign away at most; less, if some of the charge has come
      --key-file FILE        holds the payer's private key, 0x and 64 hex digits; it is sent nowhere
      --token JSON           a token that this program does not know, if you can vouch for it:
                             {"chainId": …, "address": "0x…", "decimals": …, "name": "…", "version": "…"}
      --json                 print the charge as JSON

It signs nothing but a transfer of that token to that address, of no more, whatever the service asks, and once. If it ends
without an answer, read the charge before you run it again: the payment may be under way.
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
        to: { type: 'string' },
        amount: { type: 'string' },
        'key-file': { type: 'string' },
        token: { type: 'string' },
        json: { type: 'boolean', default: false },
      },
    })
    const [id, ...others] = positionals
    if (id === undefined || others.length > 0)
      throw new CommandError('charges authorize takes the id of one charge; see --help')
    const { with: pairText, to, amount, 'key-file': keyFile, token } = values
    if (pairText === undefined || to === undefined || amount === undefined || keyFile === undefined)
      throw new CommandError('charges authorize needs --with, --to, --amount and --key-file; see --help')
    const pair = readPair('with', pairText)
    const account = privateKeyToAccount(readKey(keyFile))
    const paid = await payBySignature(api, walletOf(account), {
      ...{ pair, payer: account.address },
      charge: { id, address: to, ...readMost(amount), environment: readEnvironment() },
      token: token === undefined ? undefined : readToken(token),
    }).catch((error: unknown) => {
      throw error instanceof SignatureMismatch
        ? new CommandError(`nothing was signed: ${error.message}`, { cause: error })
        : error
    })
    return values.json ? [JSON.stringify(paid, null, 2)] : describe(paid, account.address)
  },
}

/** All of it may be asked; what has come is not asked again, and we need not know of it. */
function readMost(text: string) {
  if ((parseDecimal(text)?.digits ?? 0n) > 0n)
    return { amount: Number(text), amountExact: text, amountReceivedExact: null }
  throw new CommandError(`--amount is ${JSON.stringify(text)}; it must be dollars, such as 10 or 10.25`)
}

/** By the key, not by what the service says. */
function readEnvironment(): Schema<'Environment'> {
  const key = parseApiKey(readClientConfig().apiKey)
  if (key === null) throw new CommandError('SVC_API_KEY is no key of this service')
  return key.environment
}

function readToken(text: string): SignedToken {
  try {
    const { chainId, address, decimals, name, version } = JSON.parse(text)
    const isWhole = Number.isSafeInteger(chainId) && Number.isSafeInteger(decimals)
    if (isWhole && [address, name, version].every((one) => typeof one === 'string'))
      return { chainId, address, decimals, domain: { name, version } }
  } catch {
    // Said below.
  }
  throw new CommandError(`--token is ${text}; it must be JSON as --help has it`)
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
