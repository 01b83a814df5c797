"""The power experiments of Hothorn, Leisch, Zeileis and Hornik (2005), section 5, doi:10.1198/106186005X59630.

Two learners are trained on the same B learning samples; d is the difference of their empirical performances, and a
one-sided asymptotic permutation test, z = Σd/√(Σd²), asks whether the second is better. What differs is where the
samples come from and what performance is measured on:

    sim2000, sim_n   simulation: B fresh learning samples, one test sample of 2000, or of n, redrawn in each replication
    comp             competition: B bootstrap samples of one learning sample, one test sample of n
    oob              real world: the same, measured on the out-of-bootstrap observations
    oob2n            the learning and the test sample merged, 2n observations, and then as oob
    cv               five folds over the *positions* of each bootstrap sample; validation cases whose original is also
                     in the training folds are removed (without that, the size at β₂ = 0 is .21), and the means of the
                     folds are averaged
"""
