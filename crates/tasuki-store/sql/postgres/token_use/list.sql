-- Lists when each token was last used.
SELECT token, at
  FROM token_use;
