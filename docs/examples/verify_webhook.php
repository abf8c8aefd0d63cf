<?php
// Verifies the signature of a webhook: php docs/examples/verify_webhook.php HEADER < BODY
//
// WEBHOOK_SECRET holds the secrets, separated by spaces. In a web server the header is
// $_SERVER['HTTP_X_SERVICE_SIGNATURE'] and the body file_get_contents('php://input').

const TOLERANCE_SECONDS = 300;

/** Returns the event of a delivery. Skip an event whose id was handled before: a delivery can arrive twice. */
function verify_webhook(string $body, string $header, array $secrets): array
{
    foreach ($secrets ?: [''] as $secret) {
        if (!preg_match('~\Awhsec_[A-Za-z0-9+/]+={0,2}\z~', $secret)) {
            throw new InvalidArgumentException('a webhook secret is empty or malformed');
        }
    }
    $timestamp = '';
    $signatures = [];
    foreach (explode(',', $header) as $field) {
        [$name, $value] = array_pad(explode('=', trim($field), 2), 2, '');
        if ($name === 't' && $timestamp === '') $timestamp = $value;
        if ($name === 'v1') $signatures[] = $value;
    }
    if (!preg_match('/\A[0-9]{1,12}\z/', $timestamp) || abs(time() - (int) $timestamp) > TOLERANCE_SECONDS) {
        $problem = 'the signature has no valid timestamp, or its timestamp is more than five minutes off';
        throw new RuntimeException($problem);
    }
    foreach ($secrets as $secret) {
        $expected = hash_hmac('sha256', "$timestamp.$body", $secret);
        foreach ($signatures as $signature) {
            if (hash_equals($expected, $signature)) return json_decode($body, true, 512, JSON_THROW_ON_ERROR);
        }
    }
    throw new RuntimeException('no signature matches this body and secret');
}

if (realpath($_SERVER['SCRIPT_FILENAME'] ?? '') === __FILE__) {
    $secrets = preg_split('/ /', getenv('WEBHOOK_SECRET') ?: '', -1, PREG_SPLIT_NO_EMPTY);
    try {
        $event = verify_webhook(stream_get_contents(STDIN), $argv[1] ?? '', $secrets);
    } catch (RuntimeException | InvalidArgumentException $error) {
        fwrite(STDERR, "rejected: {$error->getMessage()}\n");
        exit(1);
    }
    echo $event['event'], ' ', $event['id'], "\n";
}
