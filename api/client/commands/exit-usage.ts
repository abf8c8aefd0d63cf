/** The help of `svc exit`, in a separate file, because the command itself is loaded only when it runs. */
export const EXIT_USAGE = `Pays out your money without the service. It needs only the records that you kept, a node of each chain and
a key for gas.

  svc exit --archive DIR --payout ADDRESS --rpc URL [--rpc URL …]
      --archive DIR          directory with the responses (HTTP 201) to the creation of your charges and with webhooks,
                             as they were received, in any order
      --payout ADDRESS       your payout address, 0x… or T…; charges whose terms do not name it are skipped; may be repeated
      --rpc URL              URL of a node; pass at least one for each chain to read; on TRON, the URL of its /jsonrpc;
                             may be repeated
      --send                 pay; without it the command only lists the payments and signs nothing
      --key-file FILE        file with the private key of the account that pays for gas, 0x and 64 hex digits; default:
                             the variable EXIT_PRIVATE_KEY
      --factory T…           the factory of your charges on TRON; EVM networks have a fixed one
      --webhook-secrets-file FILE
                             secrets of your webhooks, one per line; default: EXIT_WEBHOOK_SECRETS, separated by spaces.
                             If a secret is given, only records with a valid signature are used
      --accept-unsigned      if secrets are given, also use responses (HTTP 201), although they have no signature
      --escrow-split ADDRESS confirms the split of an escrow whose record has no signature; may be repeated
      --minimum DOLLARS      skip payments worth less than this (a distribution counts with your share only); strangers
                             may send such payments to waste your gas; default 1
      --max-cost CHAIN=AMOUNT
                             limit of the total cost on a chain, in its coin, such as base=0.01; default: the maximum that
                             the list shows; may be repeated
      --native-coin          pay native coin as well, which runs the code of its recipients
      --networks-file FILE   the service's networks.json, if its tokens or chains differ from the built-in ones
      --insecure             allow plain http to other machines
      --json                 print the result as JSON, with the data that releasers of escrows must sign

The money goes only to the recipients in the terms of each address. No keeper takes the incentive; the recipients share
it. If you run the command again, it pays only what is left.
After sending, the balances are read again. If you pass nodes on several hosts for a chain, more than half of the hosts
must agree on which payments were made.
Exit codes: 0 no failure (without --send: no payment would fail), 1 a payment would fail, a share is held or a record was
rejected, 75 retry later. Even with exit code 0, money may be left: escrows, payments below --minimum and native coin.
See leaving.md in the package.
`
