import { expect, it } from 'vitest';
import { newSigningSecret, signatureHeaders } from './signature.ts';

/** The example of the Standard Webhooks specification. */
const vector = {
  secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  signed: { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', timestamp: 1_614_265_330, body: '{"test": 2432232314}' },
  signature: 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
};

it('signs as the Standard Webhooks specification shows', () => {
  expect(signatureHeaders(vector.signed, [vector.secret])).toEqual({
    'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    'webhook-timestamp': '1614265330',
    'webhook-signature': vector.signature,
  });
});

it('signs with each secret of a rotation, the newest first', () => {
  const fresh = newSigningSecret();
  const signature = signatureHeaders(vector.signed, [fresh, vector.secret])['webhook-signature'] ?? '';
  expect(signature.split(' ')).toEqual([expect.stringMatching(/^v1,/), vector.signature]);
});
