// Checks whether a TRON node behaves as this service expects: node docs/examples/check-nile.mjs --help
import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { TronWeb, utils } from 'tronweb'

const USAGE = `Compares the behaviour of a TRON node with the assumptions of this service, and prints each result. Run it by hand on Nile before you use mainnet.

  node docs/examples/check-nile.mjs [--url URL] [--chain-id N] [--usdt T…] [--api-key-env NAME] [--key-env NAME [--deploy | --factory T…]]

  --url       URL of the node, without /jsonrpc, /wallet and /walletsolidity; default: https://nile.trongrid.io
  --chain-id  expected chain id; default: 3448148188, Nile's
  --usdt      a TRC-20 token with 6 decimals; default: TXYZopYRdj2D9XRtbG411XZZ3kM5VkAeBf
  --api-key-env  name of the environment variable that holds a TRON-PRO-API-KEY
  --key-env   name of the environment variable that holds a private key; without it the script sends no transactions
  --factory   address of our factory on this network; the script then pays one token into a split and out of it
  --deploy    deploys the factory first, for about 170 TRX

With a key it needs TRX (about 100 for a payment; Nile's faucet: https://nileex.io/join/getJoinPage) and one token. For each
transaction, the script waits about a minute until the block is solidified, and prints the cost. It exits with 1 if any result differs.
`
const { values } = parseArgs({
  options: {
    url: { type: 'string', default: 'https://nile.trongrid.io' },
    'chain-id': { type: 'string', default: '3448148188' },
    usdt: { type: 'string', default: 'TXYZopYRdj2D9XRtbG411XZZ3kM5VkAeBf' },
    'api-key-env': { type: 'string' },
    'key-env': { type: 'string' },
    factory: { type: 'string' },
    deploy: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})
if (values.help) {
  console.log(USAGE)
  process.exit(0)
}

const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
const TIMEOUT_MS = 20_000
const UNTIL_SOLID_MS = 300_000
const FEE_LIMIT_SUN = 1_000_000_000
const url = values.url.replace(/\/+$/, '')
const apiKey = process.env[values['api-key-env'] ?? '']
const headers = { 'content-type': 'application/json', ...(apiKey && { 'TRON-PRO-API-KEY': apiKey }) }

async function post(path, body) {
  const signal = AbortSignal.timeout(TIMEOUT_MS)
  const response = await fetch(`${url}/${path}`, {
    method: 'POST',
    headers,
    redirect: 'error', // the API key must be sent only to this host
    body: JSON.stringify(body),
    signal,
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`HTTP ${response.status}: ${text.slice(0, 100)}`)
  return JSON.parse(text)
}

/** Returns the node's JSON-RPC errors as results, because some checks expect the node to reject a request. */
async function rpc(method, params = []) {
  const { result, error, Error: refusal } = await post('jsonrpc', { jsonrpc: '2.0', id: 1, method, params })
  return { result, error: refusal ? { code: 'none', message: refusal } : error }
}
const hex = (number) => `0x${number.toString(16)}`

let differences = 0
/** Runs one check. `run` returns the finding, and whether the service expects it: `null` if it expects nothing. */
async function check(what, run) {
  const { found, isExpected } = await run().catch((error) => ({ found: error.message, isExpected: false }))
  if (isExpected === false) differences += 1
  const verdict = isExpected === null ? 'noted  ' : isExpected ? 'matches' : 'DIFFERS'
  console.log(`${verdict}  ${what}: ${found}`)
}
const expect = (found, isExpected) => ({ found: String(found), isExpected })

const head = Number((await rpc('eth_blockNumber')).result)
const settled = Math.max(0, head - 30)
const chainId = Number(values['chain-id'])

await check('the chain at /jsonrpc', async () => {
  const { result } = await rpc('eth_chainId')
  return expect(`${result} = ${Number(result)}`, Number(result) === chainId)
})
await check('the chain id in the id of the first block at /wallet', async () => {
  const { blockID } = await post('wallet/getblockbynum', { num: 0 })
  return expect(Number.parseInt(blockID.slice(-8), 16), Number.parseInt(blockID.slice(-8), 16) === chainId)
})
await check('blocks from the head to the solidified head', async () => {
  const [latest, solid] = await Promise.all([
    post('wallet/getblock', { detail: false }),
    post('walletsolidity/getblock', { detail: false }),
  ])
  const lag = latest.block_header.raw_data.number - solid.block_header.raw_data.number
  return expect(lag, lag >= 10 && lag <= 60)
})
await check('the block tag finalized (not used)', async () => {
  const { result, error } = await rpc('eth_getBlockByNumber', ['finalized', false])
  return expect(error ? error.message : `block ${Number(result.number)}`, null)
})
await check('eth_getBlockReceipts (used if available)', async () => {
  const { result, error } = await rpc('eth_getBlockReceipts', [hex(settled)])
  return expect(error ? error.message : `${result?.length} receipts`, null)
})
await check('a block has logsBloom, which the service ignores', async () => {
  const { result } = await rpc('eth_getBlockByNumber', [hex(settled), true])
  const bloom = result.logsBloom
  return expect(
    `${bloom?.length} characters, ${/^0x0*$/.test(bloom) ? 'all zero' : 'filled'}`,
    bloom?.length === 514,
  )
})
await check('nulls in a block or its transactions (removed by our transport)', async () => {
  const { result } = await rpc('eth_getBlockByNumber', [hex(settled), true])
  const names = [result, ...result.transactions].flatMap((one) =>
    Object.keys(one).filter((key) => one[key] === null),
  )
  return expect([...new Set(names)].join(', ') || 'none', null)
})
for (const [blocks, isTaken] of [
  [5_000, true],
  [5_001, false],
])
  await check(`logs of ${blocks} blocks in one request`, async () => {
    const range = {
      fromBlock: hex(Math.max(0, head - blocks)),
      toBlock: hex(Math.max(0, head - blocks) + blocks),
    }
    const { error } = await rpc('eth_getLogs', [
      { ...range, address: hexOf(values.usdt), topics: [hex(1n << 255n)] },
    ])
    return expect(error ? `rejected: ${error.message}` : 'accepted', (error === undefined) === isTaken)
  })
await check('a filter of 300 recipients', async () => {
  const recipients = Array.from(
    { length: 300 },
    (_, index) => `0x${(0x10000 + index).toString(16).padStart(64, '0')}`,
  )
  const query = { fromBlock: hex(head), toBlock: hex(head), topics: [TRANSFER, null, recipients] }
  const { error } = await rpc('eth_getLogs', [query])
  return expect(error ? error.message : 'accepted', error === undefined)
})
await check('a request for the logs of an unknown block is rejected', async () => {
  const { error } = await rpc('eth_getLogs', [{ blockHash: `0x${'ab'.repeat(32)}` }])
  return expect(error ? `${error.code} ${error.message}` : 'accepted', error?.code === -32602)
})
await check('a request for historical state is rejected', async () => {
  const { error } = await rpc('eth_getBalance', [hexOf(values.usdt), hex(head - 1)])
  return expect(error ? error.message : 'accepted', error !== undefined)
})
await check('the price of energy and of a byte, in sun, and the maximum fee_limit', async () => {
  const { chainParameter } = await post('wallet/getchainparameters', {})
  const of = (key) => chainParameter.find((one) => one.key === key)?.value
  const names = ['getEnergyFee', 'getTransactionFee', 'getMaxFeeLimit', 'getAllowDynamicEnergy']
  const found = [...names, 'getAllowTvmCompatibleEvm', 'getMaxCpuTimeOfOneTx'].map(
    (key) => `${key} ${of(key)}`,
  )
  return expect(found.join(', '), of('getEnergyFee') > 0)
})
await check('decimals of the token', async () => {
  const { result, error } = await rpc('eth_call', [{ to: hexOf(values.usdt), data: '0x313ce567' }, 'latest'])
  return expect(error ? error.message : Number(result), Number(result) === 6)
})
await check('the return value of a successful transfer() of the token', async () => {
  const query = {
    fromBlock: hex(Math.max(0, head - 4_000)),
    toBlock: hex(head),
    address: hexOf(values.usdt),
    topics: [TRANSFER],
  }
  for (const { transactionHash } of ((await rpc('eth_getLogs', [query])).result ?? []).slice(-20)) {
    const value = transactionHash.slice(2)
    const [transaction, info] = await Promise.all([
      post('wallet/gettransactionbyid', { value }),
      post('wallet/gettransactioninfobyid', { value }),
    ])
    const data = transaction.raw_data?.contract?.[0]?.parameter?.value?.data ?? ''
    if (data.startsWith('a9059cbb'))
      return expect(`${info.contractResult?.[0] || 'nothing'} (payouts work with any value)`, null)
  }
  return expect('no recent transfer of the token', null)
})
if (values['key-env'] !== undefined) await checkPaying(process.env[values['key-env']] ?? '')
console.log(
  differences === 0
    ? '\nThe node behaves as the service expects.'
    : `\n${differences} checks differ: see docs/tron.md.`,
)
process.exitCode = differences === 0 ? 0 : 1

/** Converts a T… address to 0x and 40 hex digits. */
function hexOf(address) {
  return TronWeb.address.toHex(address).replace(/^41/, '0x')
}

async function checkPaying(key) {
  if (!/^(0x)?[0-9a-fA-F]{64}$/.test(key)) throw new Error(`${values['key-env']} must be 64 hex digits`)
  const wallet = new TronWeb({
    fullHost: url,
    privateKey: key.replace(/^0x/, ''),
    headers: apiKey ? headers : {},
  })
  const own = wallet.defaultAddress.base58
  const artifact = JSON.parse(
    readFileSync(new URL('../../contracts/artifacts/TronPaymentSplitFactory.json', import.meta.url), 'utf8'),
  )

  const send = async (transaction) => {
    const signed = await wallet.trx.sign(transaction)
    const answer = await wallet.trx.sendRawTransaction(signed)
    if (!answer.result) throw new Error(`${answer.code}: ${TronWeb.toUtf8(answer.message ?? '')}`)
    return signed
  }
  const solid = async ({ txID }) => {
    for (const until = Date.now() + UNTIL_SOLID_MS; Date.now() < until; ) {
      const info = await post('walletsolidity/gettransactioninfobyid', { value: txID })
      if (info.id === txID) return info
      await new Promise((done) => setTimeout(done, 1_000))
    }
    throw new Error(`${txID} was not solidified within ${UNTIL_SOLID_MS / 1000} s`)
  }
  const told = ({ receipt, fee = 0 }) =>
    `${receipt.result}, ${receipt.energy_usage_total ?? 0} energy, ${fee / 1e6} TRX in total`
  const call = async (to, data) =>
    (
      await wallet.transactionBuilder.triggerSmartContract(
        TronWeb.address.toHex(to),
        '',
        {
          feeLimit: FEE_LIMIT_SUN,
          input: data.replace(/^0x/, ''),
        },
        [],
      )
    ).transaction

  let { factory } = values
  if (values.deploy)
    await check('deploying the factory', async () => {
      const transaction = await wallet.transactionBuilder.createSmartContract(
        {
          abi: artifact.abi,
          bytecode: artifact.bytecode.slice(2),
          feeLimit: FEE_LIMIT_SUN,
          name: 'TronPaymentSplitFactory',
        },
        own,
      )
      const info = await solid(await send(transaction))
      factory = TronWeb.address.fromHex(info.contract_address ?? transaction.contract_address)
      return expect(`${told(info)}, at ${factory}`, info.receipt.result === 'SUCCESS')
    })
  if (factory === undefined) return
  const { Interface, AbiCoder, keccak256, id } = utils.ethersUtils
  const contract = new Interface(artifact.abi)
  const merchant = wallet.createRandom().address
  const terms = [[merchant, own].map(hexOf), [990_991, 9_009], 1_000_000, 1_000]
  const salt = id(`check-nile-${Date.now()}`)
  const read = async (name, args) => {
    const data = contract.encodeFunctionData(name, args)
    return contract.decodeFunctionResult(
      name,
      (await rpc('eth_call', [{ to: hexOf(factory), data }, 'latest'])).result,
    )[0]
  }

  let split = ''
  await check('the predicted address of a split, by the factory and by tronweb', async () => {
    const implementation = await read('implementation', [])
    const hash = keccak256(
      AbiCoder.defaultAbiCoder().encode(['tuple(address[],uint256[],uint256,uint16)'], [terms]),
    )
    const proxy = `363d3d373d3d3d363d73${implementation.slice(2)}5af43d82803e903d91603157fd5bf3${hash.slice(2)}`
    const initCode = `0x6100533d81600a3d39f336600557005b${proxy}`
    split = utils.address.getCreate2Address({ from: factory, salt, initCode })
    const predicted = await read('predictDeterministicAddress', [terms, `0x${'0'.repeat(40)}`, salt])
    return expect(`${split}, ${TronWeb.address.fromHex(predicted)}`, hexOf(split) === predicted.toLowerCase())
  })
  await check('paying one token, and sending the same transaction twice', async () => {
    const { transaction } = await wallet.transactionBuilder.triggerSmartContract(
      values.usdt,
      'transfer(address,uint256)',
      { feeLimit: FEE_LIMIT_SUN },
      [
        { type: 'address', value: split },
        { type: 'uint256', value: '1000000' },
      ],
    )
    const signed = await send(transaction)
    const { code } = await wallet.trx.sendRawTransaction(signed)
    const info = await solid(signed)
    return expect(
      `${told(info)}; again: ${code}`,
      info.receipt.result === 'SUCCESS' && code === 'DUP_TRANSACTION_ERROR',
    )
  })
  await check('paying it out to an account that never held the token', async () => {
    const data = contract.encodeFunctionData('createAndDistribute', [
      terms,
      salt,
      [hexOf(values.usdt)],
      hexOf(own),
    ])
    const estimate = await post('wallet/triggerconstantcontract', {
      ...{ owner_address: own, contract_address: factory, data: data.slice(2), visible: true },
    })
    const info = await solid(await send(await call(factory, data)))
    const { energy_used: used, energy_penalty: penalty = 0, logs } = estimate
    const tried = `estimate before: ${used} energy, ${penalty} of it penalty, ${logs?.length ?? 'no'} logs`
    return expect(`${told(info)}; ${tried}`, info.receipt.result === 'SUCCESS')
  })
  await check('the balance of the recipient, whose share is 0.990001', async () => {
    const data = `0x70a08231${hexOf(merchant).slice(2).padStart(64, '0')}`
    const { result } = await rpc('eth_call', [{ to: hexOf(values.usdt), data }, 'latest'])
    return expect(Number(result) / 1e6, Number(result) === 990_001)
  })
  for (const [hours, isTaken] of [
    [23, true],
    [25, false],
  ])
    await check(`a transaction that expires after ${hours} hours`, async () => {
      const made = await wallet.transactionBuilder.sendTrx(merchant, 1, own)
      const longer = await wallet.transactionBuilder.extendExpiration(made, hours * 3_600, { txLocal: true })
      const { result, code } = await wallet.trx.sendRawTransaction(await wallet.trx.sign(longer))
      return expect(result ? 'accepted' : code, isTaken ? result : !result)
    })
}
