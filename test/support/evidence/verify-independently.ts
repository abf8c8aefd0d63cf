import {
  AbiCoder,
  concat,
  dataSlice,
  decodeRlp,
  encodeRlp,
  getAddress,
  getCreate2Address,
  id,
  keccak256,
  toBeHex,
  toUtf8Bytes,
} from 'ethers'
import constants from '../../../contracts/artifacts/split-constants.json' with { type: 'json' }

// `any`, because this file deliberately shares no types with the product.
// oxlint-disable-next-line typescript/no-explicit-any
type Json = Record<string, any>

/**
 * Verifies the transactions of a charge's evidence with ethers and without the product's code. Only the addresses of
 * the factory and the split implementation come from the product.
 *
 * @param emitters - by token address, the contract that logs the token's transfers if it is not the token itself
 * @returns for each transaction: the kind and amount of each log, and the emitter, recipient and amount of each
 * transfer from the split
 * @throws {Error} with the first value that differs from the expected value
 */
export function verifyIndependently(evidence: Json, emitters: Readonly<Record<string, string>> = {}) {
  const { charge } = evidence
  verifyTerms(charge)
  return (evidence['data'] as Json[]).map((transaction) => verifyTransaction(charge, transaction, emitters))
}

/** Recomputes the split's address by CREATE2 from the terms. Does not verify a Safe's address. */
function verifyTerms({ id: chargeId, address, addressTerms: terms }: Json): void {
  const salt = keccak256(toUtf8Bytes(chargeId))
  equal('salt', terms['salt'], salt)
  const recipients = terms['recipients'].map((one: Json) => one['address'])
  const allocations = terms['recipients'].map((one: Json) => one['allocation'])
  const split = AbiCoder.defaultAbiCoder().encode(
    ['tuple(address[],uint256[],uint256,uint16)'],
    [[recipients, allocations, terms['totalAllocation'], terms['distributionIncentive']]],
  )
  const initCode = concat([
    '0x6100533d81600a3d39f336600557005b363d3d373d3d3d363d73',
    constants.implementationAddress,
    '0x5af43d82803e903d91603157fd5bf3',
    keccak256(split),
  ])
  equal('factory', terms['factory'], getAddress(constants.factoryAddress))
  const predicted = getCreate2Address(constants.factoryAddress, salt, keccak256(initCode))
  equal('split', terms['splitAddress'], predicted)
  if (terms['safe'] === null) equal('address', address, predicted)
}

function verifyTransaction(
  charge: Json,
  { block, proof, logs }: Json,
  emitters: Readonly<Record<string, string>>,
) {
  equal('block hash', keccak256(proof['header']), block['hash'])
  const header = decodeRlp(proof['header']) as string[]
  equal('number', BigInt(header[8] as string), BigInt(block['number']))
  equal('time', Number(header[11]) * 1000, Date.parse(block['time']))
  const key = encodeRlp(proof['transactionIndex'] === 0 ? '0x' : toBeHex(proof['transactionIndex']))
  const receipt = walk(proof['receiptNodes'], { root: header[5] as string, path: key.slice(2) })
  const isTyped = Number(dataSlice(receipt, 0, 1)) < 0xc0
  const [status, , , entries] = decodeRlp(isTyped ? dataSlice(receipt, 1) : receipt) as [
    string,
    string,
    string,
    [string, string[], string][],
  ]
  equal('status', status, '0x01')
  const found = (logs as Json[]).map((log) => {
    const [address, topics, data] = entries[log['position']] as [string, string[], string]
    equal('amount', BigInt(data), BigInt(log['amountAtomic']))
    const { emitter, expected } = describe(charge, log, emitters)
    equal('contract', getAddress(address), emitter)
    equal('topics', topics.join(), expected.join())
    return { kind: log['kind'] as string, amount: BigInt(data) }
  })
  const split = charge['addressTerms']['splitAddress']
  const paid = entries
    .filter(([, topics]) => topics[0] === TRANSFER && topics[1] === pad(split))
    .map(([emitter, topics, data]) => ({
      ...{
        emitter: getAddress(emitter),
        to: getAddress(dataSlice(String(topics[2]), 12)),
        amount: BigInt(data),
      },
    }))
  return { found, paid }
}

const TRANSFER = id('Transfer(address,address,uint256)')

function describe(charge: Json, log: Json, emitters: Readonly<Record<string, string>>) {
  const token = emitters[log['tokenAddress']] ?? log['tokenAddress']
  const splitEvent = { distribution: 'SplitDistributed', held: 'PayoutHeld', released: 'PayoutReleased' }[
    log['kind'] as string
  ]
  if (splitEvent !== undefined)
    return {
      emitter: charge['addressTerms']['splitAddress'],
      expected: [id(`${splitEvent}(address,address,uint256)`), pad(log['tokenAddress']), pad(log['party'])],
    }
  const ends =
    log['kind'] === 'credit' ? [log['party'], charge['address']] : [charge['address'], log['party']]
  return { emitter: token, expected: [TRANSFER, ...ends.map(pad)] }
}

/** Returns the value at a path of nibbles, given the nodes from the root. Each node's hash must be in its parent. */
function walk(nodes: string[], { root, path }: { root: string; path: string }): string {
  let expected = root
  let rest = path
  for (const node of nodes) {
    equal('node', keccak256(node), expected)
    const items = decodeRlp(node) as string[]
    if (items.length === 17) {
      if (rest === '') return items[16] as string
      expected = items[Number.parseInt(rest.slice(0, 1), 16)] as string
      rest = rest.slice(1)
      continue
    }
    const [prefix, value] = items as [string, string]
    const isOdd = '13'.includes(prefix.slice(2, 3))
    const nibbles = prefix.slice(isOdd ? 3 : 4)
    if (!rest.startsWith(nibbles)) throw new Error('the path leaves the proof')
    rest = rest.slice(nibbles.length)
    if ('23'.includes(prefix.slice(2, 3))) {
      equal('end of the path', rest, '')
      return value
    }
    expected = value
  }
  throw new Error('the proof ends before the receipt')
}

function pad(address: string): string {
  return `0x${address.slice(2).toLowerCase().padStart(64, '0')}`
}

function equal(name: string, found: unknown, expected: unknown): void {
  if (found !== expected) throw new Error(`${name}: ${String(found)} is not ${String(expected)}`)
}
