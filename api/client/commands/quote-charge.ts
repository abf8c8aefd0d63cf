import { parseArgs } from 'node:util'
import { CommandError } from '../../../shared/runtime/command-line.ts'
import { answerOf } from '../client.ts'
import type { Schema } from '../schema.ts'
import { readSwapInput } from './option-values.ts'
import type { SvcCommand } from './svc-command.ts'

const USAGE = `Quotes what remains of a live charge in another asset, through a swap.

  npm run svc -- charges quote ID --input TOKEN@NETWORK --taker ADDRESS
      --input TOKEN@NETWORK   what the payer has, one of the charge's swapAlternatives, such as ETH@base
      --taker ADDRESS         the payer's own address, from which the transaction is sent
      --json                  print the whole quote as JSON, with what the wallet signs and sends
`

/** `svc charges quote`. */
export const quoteCharge: SvcCommand = {
  usage: USAGE,
  run: async (api, args) => {
    const { values, positionals } = parseArgs({
      args,
      allowPositionals: true,
      options: {
        input: { type: 'string' },
        taker: { type: 'string' },
        json: { type: 'boolean', default: false },
      },
    })
    const [id, ...others] = positionals
    if (id === undefined || others.length > 0) {
      throw new CommandError('charges quote takes the id of one charge; see --help')
    }
    if (values.input === undefined || values.taker === undefined) {
      throw new CommandError('charges quote needs --input and --taker; see --help')
    }
    const { token, network } = readSwapInput('input', values.input)
    const body = { inputToken: token, inputNetwork: network, takerAddress: values.taker }
    const call = api.POST('/v1/charges/{id}/quote', { params: { path: { id } }, body })
    const quote = await answerOf(call)
    return values.json ? [JSON.stringify(quote, null, 2)] : describeQuote(quote)
  },
}

function describeQuote(quote: Schema<'SwapQuote'>): readonly string[] {
  const { inputAmountExact, outputAmountExact, fees, permit2, transaction } = quote
  const rows = [
    ['pays', `${outputAmountExact} ${quote.outputToken} on ${quote.outputNetwork}, exactly`],
    ['costs', `at most ${inputAmountExact} ${quote.inputToken}; the rest comes back in the same transaction`],
    [
      'fees',
      `${fees.serviceFeeExact} and ${fees.providerFeeExact ?? '0'} ${quote.outputToken}, part of that`,
    ],
    ['to sign', permit2 === null ? 'nothing but the transaction' : 'a permit (EIP-712) of this amount'],
    ['to send', `${transaction.value} wei and ${transaction.data.length / 2 - 1} bytes to ${transaction.to}`],
    ['until', quote.expiresAt],
  ]
  return rows.map(([name = '', value = '']) => `${name.padEnd(10)} ${value}`)
}
